"""American and British spellings, and compounds written apart: other ways in which authors write a word."""

from __future__ import annotations

import re
from collections.abc import Iterator

_AMERICAN_BRITISH = tuple(
    tuple(pair.split("/"))
    for pair in """
    behavior/behaviour color/colour favor/favour flavor/flavour harbor/harbour honor/honour humor/humour labor/labour
    neighbor/neighbour rumor/rumour tumor/tumour vapor/vapour center/centre fiber/fibre liter/litre theater/theatre
    meter/metre caliber/calibre analyz/analys catalyz/catalys modeling/modelling modeled/modelled labeling/labelling
    labeled/labelled signaling/signalling signaled/signalled traveling/travelling traveler/traveller
    channeling/channelling channeled/channelled canceling/cancelling leveling/levelling tunneling/tunnelling
    fueling/fuelling totaling/totalling gray/grey defense/defence offense/offence license/licence catalog/catalogue
    dialog/dialogue program/programme sulfur/sulphur aluminum/aluminium skeptic/sceptic artifact/artefact aging/ageing
    maneuver/manoeuvre estrogen/oestrogen esophag/oesophag anesth/anaesth pediatric/paediatric orthopedic/orthopaedic
    leukemia/leukaemia anemia/anaemia ischemi/ischaemi hemoglobin/haemoglobin hematolog/haematolog fetal/foetal
    judgment/judgement acknowledgment/acknowledgement plow/plough mold/mould
    """.split()
)
_Z_ENDING = re.compile(r"iz(e|es|ed|er|ers|ing|ation|ations)$")
_S_ENDING = re.compile(r"is(e|es|ed|er|ers|ing|ation|ations)$")
_SHORTEST = 7
"""Letters of a word whose -ise may be an -ize: "noise", "raised" and "wise" are none."""

_PREFIXES = tuple(
    sorted(
        """
        auto bi bio co cross cyber down electro fine geo high hyper inter intra large long low macro magneto mega meta
        micro mid mini mono multi nano neuro non omni open out over para photo physio poly post pre pseudo psycho quasi
        re real self semi short spatio state sub super thermo time trans tri ultra uni under up video wave zero few
        """.split(),
        key=len,
        reverse=True,
    )
)


def other_spellings(word: str) -> Iterator[str]:
    """The word as the other side of the Atlantic writes it: behavior → behaviour, optimise → optimize."""
    for american, british in _AMERICAN_BRITISH:
        # The British form may begin with the American one: catalog, catalogue.
        if word.startswith(british):
            yield american + word[len(british) :]
        elif word.startswith(american):
            yield british + word[len(american) :]
    if len(word) >= _SHORTEST:
        for ending, letter in ((_Z_ENDING, "s"), (_S_ENDING, "z")):
            if ending.search(word):
                yield ending.sub(rf"i{letter}\1", word)


def parted(word: str) -> Iterator[str]:
    """A compound in two words where it begins as many do: multiagent → multi agent."""
    for prefix in _PREFIXES:
        if word.startswith(prefix) and len(word) >= len(prefix) + 4:
            yield f"{prefix} {word[len(prefix) :]}"
            return
