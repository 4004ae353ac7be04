"""English plurals folded to their singular, and nothing else: a stemmer would make organ of organization."""

from __future__ import annotations

from functools import lru_cache

_IRREGULAR = {
    "analyses": "analysis",
    "antennae": "antenna",
    "appendices": "appendix",
    "automata": "automaton",
    "axes": "axis",
    "caches": "cache",
    "calories": "calorie",
    "canoes": "canoe",
    "catalyses": "catalysis",
    "continua": "continuum",
    "cookies": "cookie",
    "corpora": "corpus",
    "cpus": "cpu",
    "criteria": "criterion",
    "crises": "crisis",
    "diagnoses": "diagnosis",
    "dialyses": "dialysis",
    "dpus": "dpu",
    "eigenbases": "eigenbasis",
    "equilibria": "equilibrium",
    "extrema": "extremum",
    "foci": "focus",
    "formulae": "formula",
    "gases": "gas",
    "gpus": "gpu",
    "grus": "gru",
    "halves": "half",
    "headaches": "headache",
    "hypotheses": "hypothesis",
    "imus": "imu",
    "indices": "index",
    "knives": "knife",
    "larvae": "larva",
    "loci": "locus",
    "matrices": "matrix",
    "maxima": "maximum",
    "menus": "menu",
    "minima": "minimum",
    "momenta": "momentum",
    "movies": "movie",
    "nebulae": "nebula",
    "neuroses": "neurosis",
    "niches": "niche",
    "npus": "npu",
    "nuclei": "nucleus",
    "optima": "optimum",
    "parentheses": "parenthesis",
    "phenomena": "phenomenon",
    "quanta": "quantum",
    "quizzes": "quiz",
    "radii": "radius",
    "relus": "relu",
    "shelves": "shelf",
    "shoes": "shoe",
    "simplices": "simplex",
    "spectra": "spectrum",
    "stimuli": "stimulus",
    "supernovae": "supernova",
    "syntheses": "synthesis",
    "theses": "thesis",
    "toes": "toe",
    "tpus": "tpu",
    "vertices": "vertex",
    "viruses": "virus",
    "vortices": "vortex",
    "wolves": "wolf",
}
_SINGULAR_WORDS = """
    across aids alas alias always amongst asbestos atlas bayes besides bias canvas chaos christmas chassis
    corps cosmos diabetes does dallas ethos goes hers herpes himalayas https jenkins kansas keras kubernetes
    kudos laos las lens les macos mars mips navier neurips news nips nos ours pancreas pandas pathos perhaps
    series species stokes texas theirs thermos thomas vegas whereas yours
    """
_SINGULAR = frozenset(_SINGULAR_WORDS.split())
_SINGULAR_ENDINGS = ("ss", "us", "is", "ics")
_COUNTED_ICS_WORDS = """
    antibiotics basics ceramics characteristics classics clinics comics conics critics cubics diagnostics
    epidemics fabrics generics harmonics heuristics logics metrics mimics mosaics pandemics quadrics quartics
    relics skeptics tactics topics
    """
_COUNTED_ICS = frozenset(_COUNTED_ICS_WORDS.split())
_WITH_ES = ("sses", "xes", "ches", "shes", "zzes", "iases", "nvases", "tlases", "lenses", "oches")
_US_WITH_ES_WORDS = """
    apparatuses bonuses buses campuses censuses choruses consensuses corpuses focuses nexuses nucleuses
    statuses surpluses syllabuses
    """
_US_WITH_ES = frozenset(_US_WITH_ES_WORDS.split())
_O_WITH_ES_WORDS = "echoes heroes mosquitoes potatoes tomatoes tornadoes torpedoes vetoes volcanoes"
_O_WITH_ES = frozenset(_O_WITH_ES_WORDS.split())


@lru_cache(maxsize=1 << 16)
def singular(word: str) -> str:
    """`word` (lower case) without an English plural ending: policies → policy, boxes → box, models → model.

    Words of fewer than four letters, words with anything but a–z, and words that only look like plurals
    (analysis, bias, loss, status, physics, Gauss, news) stay as they are.
    """
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    irregular = _IRREGULAR.get(word)
    if irregular is not None:
        return irregular
    if word[-1] != "s" or word in _SINGULAR:
        return word
    return word if _only_looks_plural(word) else _without_ending(word)


def _only_looks_plural(word: str) -> bool:
    if word in _COUNTED_ICS:
        return False
    return word.endswith(_SINGULAR_ENDINGS)


def _without_ending(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if (word.endswith(_WITH_ES) and len(word) > 4) or word in _US_WITH_ES or word in _O_WITH_ES:
        return word[:-2]
    return word[:-1]
