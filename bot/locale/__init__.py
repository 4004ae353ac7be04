"""Every sentence a person reads, in English and Chinese.

The English sentence is the message id; `zh.po` beside this file is the catalogue, read when first needed.

    t = translator("zh")
    t("You follow “{title}”.", title="diffusion policy")
    t.n("{count} paper", "{count} papers", 1204)

`N_` marks a sentence in a table that is translated later. `python -m bot.locale` brings the catalogue up to
date.
"""

from bot.locale.translator import LANGUAGES, N_, PSEUDO, Translator, translator

__all__ = ["LANGUAGES", "N_", "PSEUDO", "Translator", "translator"]
