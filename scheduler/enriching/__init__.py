"""TL;DRs and translations for the papers that chats will be told of, made beside fetching and delivery.

coming digests | what readers lack | what was made before | what the budget pays for | calls | checks | archive

A digest waits for words only as long as `waiting` says; whatever is not there then is said in one line.
"""

from scheduler.enriching.job import Enricher
from scheduler.enriching.limits import Limits
from scheduler.enriching.purse import Unpaid
from scheduler.enriching.report import Report, report
from scheduler.enriching.waiting import Waiting

__all__ = ["Enricher", "Limits", "Report", "Unpaid", "Waiting", "report"]
