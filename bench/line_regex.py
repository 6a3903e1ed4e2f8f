"""What receipts give without a template: regular expressions over the rows of text.

Written before the template, and left as it was: `fields.py` compares the template with it.
"""

from __future__ import annotations

import re

DATE = re.compile(
    r"\b(\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}|\d{4}[/.-]\d{1,2}[/.-]\d{1,2}"
    r"|\d{1,2}[ -](?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)[A-Z]*[ -]\d{2,4})\b",
    re.IGNORECASE,
)
AMOUNT = re.compile(r"\d[\d,. ]*[.,]\d{2}\b")
TOTAL = re.compile(r"\btotal\b", re.IGNORECASE)
NO_TOTAL = re.compile(r"sub|qty|item|discount|tax|gst", re.IGNORECASE)
COMPANY = re.compile(r"\b(SDN|BHD|LTD|INC|LLC|GMBH|ENTERPRISE|TRADING|RESTAURANT|RESTORAN)\b", re.IGNORECASE)


def date(rows: list[str]) -> str:
    """The first date of the page."""
    return next((found.group() for row in rows for found in DATE.finditer(row)), "")


def total(rows: list[str]) -> str:
    """The last amount of the last row that has the word total and nothing that makes it another one; else the largest
    amount of the page."""
    for row in reversed(rows):
        if TOTAL.search(row) and not NO_TOTAL.search(row) and (amounts := AMOUNT.findall(row)):
            return str(amounts[-1])
    amounts = [amount for row in rows for amount in AMOUNT.findall(row)]
    return max(amounts, key=lambda amount: float(re.sub(r"\D", "", amount)), default="")


def company(rows: list[str]) -> str:
    """Of the first ten rows the first that names a kind of company, else the first one."""
    return next((row for row in rows[:10] if COMPANY.search(row)), rows[0] if rows else "")


EXTRACT = {"date": date, "total": total, "company": company}
