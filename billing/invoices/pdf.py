"""An invoice as PDF: A4, text that can be selected, the same bytes for the same invoice.

In English, as its lines are: what is filed does not depend on who downloads it.
"""

from datetime import datetime
from decimal import Decimal
from io import BytesIO
from typing import Any

from reportlab.lib import colors
from reportlab.lib.enums import TA_RIGHT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, KeepTogether, Paragraph, SimpleDocTemplate, Spacer, Table

from billing.formatting import usd
from billing.invoices.drafts import days_of, quantity_text
from billing.invoices.fonts import BOLD, LATIN, is_asian, marked
from billing.invoices.texts import PRODUCT, lines_of_seller, price_text
from billing.models import Invoice, InvoiceStatus
from usage.periods import Period

_INK, _MUTED, _RULE = colors.HexColor("#1b2330"), colors.HexColor("#5d6878"), colors.HexColor("#d5dae1")
_STAMPS = {
    InvoiceStatus.PAID: ("PAID", colors.HexColor("#1a7f4b")),
    InvoiceStatus.VOID: ("VOID", colors.HexColor("#8a93a1")),
    InvoiceStatus.CARRIED: ("NOT DUE", colors.HexColor("#8a93a1")),
}
_MARGIN = 20 * mm
_WIDTH = A4[0] - 2 * _MARGIN
_COLUMNS = (_WIDTH * 0.48, _WIDTH * 0.26, _WIDTH * 0.11, _WIDTH * 0.15)
_NOTE = (
    "Use beyond the plan is charged for the period that ended; plan and storage are charged in advance. "
    "1 GB is 1,000,000,000 bytes. All amounts in US dollars."
)

_TOO_SMALL = "Below the minimum charge, so nothing is due. The amount is added to the next regular invoice."


def pdf_of(invoice: Invoice) -> bytes:
    """Return an invoice, read with its lines, as a file."""
    out = BytesIO()
    document = SimpleDocTemplate(
        out,
        pagesize=A4,
        leftMargin=_MARGIN,
        rightMargin=_MARGIN,
        topMargin=18 * mm,
        bottomMargin=22 * mm,
        title=f"Invoice {invoice.number}",
        author=lines_of_seller(invoice)[0],
        subject=f"{invoice.total_usd} USD, {_period(invoice)}",
        creator=PRODUCT,
        lang="en",
        invariant=1,
    )
    document.build(_story(invoice), canvasmaker=_pages_of(invoice))
    return out.getvalue()


def _story(invoice: Invoice) -> list[Flowable]:
    return [
        _head(invoice),
        Spacer(0, 9 * mm),
        _sides(invoice),
        Spacer(0, 9 * mm),
        _lines(invoice),
        KeepTogether([_total(invoice), Spacer(0, 9 * mm), _grid([[_payment(invoice)]], (_WIDTH,))]),
    ]


def _style(size: float = 9.5, *, muted: bool = False, **more: Any) -> ParagraphStyle:
    return ParagraphStyle(
        "", fontName=LATIN, fontSize=size, leading=size * 1.4, textColor=_MUTED if muted else _INK, **more
    )


def _text(text: str, *, bold: bool = False, **style: Any) -> Paragraph:
    """Return a paragraph; where lines may break depends on the script."""
    wrap: dict[str, Any] = {"wordWrap": "CJK"} if is_asian(text) else {}
    return Paragraph(marked(text, is_bold=bold), _style(**style, **wrap))


def _period(invoice: Invoice) -> str:
    return days_of(Period(invoice.period_start, invoice.period_end))


def _day(at: datetime) -> str:
    return at.date().isoformat()


def _head(invoice: Invoice) -> Table:
    name, *address = lines_of_seller(invoice)
    left: list[Flowable] = [_text(name, bold=True, size=15)]
    if address:
        left.append(_text("\n".join(address), size=8.5, muted=True, spaceBefore=4))
    right: list[Flowable] = [
        _text("Invoice", bold=True, size=20, alignment=TA_RIGHT),
        _text(invoice.number, size=10.5, alignment=TA_RIGHT, muted=True, spaceBefore=5),
    ]
    return _grid([[left, right]], (_WIDTH * 0.58, _WIDTH * 0.42))


def _sides(invoice: Invoice) -> Table:
    """Return whom it is for, beside its facts."""
    buyer = invoice.details.get("buyer", {})
    left: list[Flowable] = [
        _text("BILLED TO", bold=True, size=7.5, muted=True),
        _text(buyer.get("name", ""), bold=True, size=10.5, spaceBefore=3),
    ]
    if buyer.get("address"):
        left.append(_text(buyer["address"], spaceBefore=2))
    if buyer.get("tax_id"):
        left.append(_text(f"Tax ID: {buyer['tax_id']}", spaceBefore=2))
    facts = [
        ("Issued", _day(invoice.issued_at)),
        ("Due", "" if invoice.status == InvoiceStatus.CARRIED else _day(invoice.due_at)),
        ("Period", _period(invoice)),
        ("Account", buyer.get("payer", "")),
        ("Purchase order", buyer.get("purchase_order", "")),
    ]
    rows = [[_text(label, muted=True), _text(value)] for label, value in facts if value]
    right = _grid(rows, (_WIDTH * 0.16, _WIDTH * 0.26), padding=1.2)
    return _grid([[left, right]], (_WIDTH * 0.58, _WIDTH * 0.42))


def _lines(invoice: Invoice) -> Table:
    heads = [
        _text(label, bold=True, size=8, muted=True, alignment=TA_RIGHT if position else 0)
        for position, label in enumerate(("Description", "Quantity", "Price", "Amount"))
    ]
    rows = [
        [
            _text(line.description),
            _number(quantity_text(line)),
            _number(price_text(line.unit_price_usd)),
            _number(usd(line.amount_usd)),
        ]
        for line in invoice.lines.all()
    ]
    rules = [
        ("LINEBELOW", (0, 0), (-1, 0), 0.9, _INK),
        ("LINEBELOW", (0, 1), (-1, -1), 0.4, _RULE),
        ("TOPPADDING", (0, 0), (-1, -1), 5),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 5),
        ("RIGHTPADDING", (0, 0), (0, -1), 8),
    ]
    return _grid([heads, *rows], _COLUMNS, rules, repeat_rows=1)


def _total(invoice: Invoice) -> Table:
    due = invoice.total_usd if invoice.status == InvoiceStatus.OPEN else Decimal(0)
    rows = [
        ["", _text("Total", muted=True), _number(usd(invoice.total_usd))],
        ["", _text("Amount due", bold=True, size=11), _number(usd(due), bold=True, size=11)],
    ]
    rules = [
        ("LINEABOVE", (1, 1), (-1, 1), 0.9, _INK),
        ("TOPPADDING", (0, 0), (-1, -1), 5),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
    ]
    return _grid(rows, (_WIDTH * 0.58, _WIDTH * 0.2, _WIDTH * 0.22), rules)


def _payment(invoice: Invoice) -> list[Flowable]:
    """Return how it is, or was, paid."""
    flowables: list[Flowable] = [_text("PAYMENT", bold=True, size=7.5, muted=True)]
    details = invoice.details
    if invoice.status == InvoiceStatus.PAID and invoice.paid_at is not None:
        ref = f" Reference: {invoice.ref}." if invoice.ref else ""
        flowables.append(_text(f"Paid on {_day(invoice.paid_at)}.{ref} Thank you.", spaceBefore=3))
    elif invoice.status == InvoiceStatus.VOID:
        flowables.append(_text("This invoice is void. No payment is needed.", spaceBefore=3))
    elif invoice.status == InvoiceStatus.CARRIED:
        flowables.append(_text(_TOO_SMALL, spaceBefore=3))
    elif invoice.by_transfer:
        request = f"Please pay by bank transfer until {_day(invoice.due_at)}, naming {invoice.number}."
        flowables.append(_text(request, spaceBefore=3))
        if details.get("bank_details"):
            flowables.append(_text(details["bank_details"], spaceBefore=5))
    elif details.get("payment"):
        flowables.append(
            _text(f"Taken from the default payment method ({details['payment']}).", spaceBefore=3)
        )
    else:
        flowables.append(_text("Please add a payment method, from which it is taken.", spaceBefore=3))
    return [*flowables, _text(_NOTE, size=7.5, muted=True, spaceBefore=12)]


def _number(text: str, *, bold: bool = False, **style: Any) -> Paragraph:
    return _text(text, bold=bold, alignment=TA_RIGHT, **style)


def _grid(
    rows: list[list[Any]],
    widths: tuple[float, ...],
    rules: list[tuple[Any, ...]] | None = None,
    *,
    padding: float = 0,
    repeat_rows: int = 0,
) -> Table:
    base = [
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LEFTPADDING", (0, 0), (-1, -1), 0),
        ("RIGHTPADDING", (0, 0), (-1, -1), 0),
        ("TOPPADDING", (0, 0), (-1, -1), padding),
        ("BOTTOMPADDING", (0, 0), (-1, -1), padding),
    ]
    return Table(rows, widths, style=[*base, *(rules or [])], repeatRows=repeat_rows)


def _pages_of(invoice: Invoice) -> type[Canvas]:
    """Return a canvas that writes foot and stamp once it knows how many pages there are."""

    class Pages(Canvas):  # type: ignore[misc]  # the library has no types
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self._kept: list[dict[str, Any]] = []

        def showPage(self) -> None:  # noqa: N802 - the library's name
            self._kept.append(dict(self.__dict__))
            self._startPage()

        def save(self) -> None:
            for number, state in enumerate(self._kept, start=1):
                self.__dict__.update(state)
                _foot(self, invoice, number, len(self._kept))
                if number == 1:
                    _stamp(self, invoice)
                super().showPage()
            super().save()

    return Pages


def _foot(canvas: Canvas, invoice: Invoice, number: int, count: int) -> None:
    canvas.saveState()
    canvas.setStrokeColor(_RULE)
    canvas.setLineWidth(0.4)
    canvas.line(_MARGIN, 15 * mm, A4[0] - _MARGIN, 15 * mm)
    canvas.setFillColor(_MUTED)
    canvas.setFont(LATIN, 8)
    canvas.drawString(_MARGIN, 10.5 * mm, f"Invoice {invoice.number}")
    canvas.drawRightString(A4[0] - _MARGIN, 10.5 * mm, f"Page {number} of {count}")
    canvas.restoreState()


def _stamp(canvas: Canvas, invoice: Invoice) -> None:
    """Say over the head what became of it, unless it is open."""
    found = _STAMPS.get(InvoiceStatus(invoice.status))
    if found is None:
        return
    word, color = found
    canvas.saveState()
    canvas.translate(A4[0] / 2 + 8 * mm, A4[1] - 27 * mm)
    canvas.rotate(8)
    canvas.setStrokeColor(color)
    canvas.setFillColor(color)
    canvas.setLineWidth(1.6)
    width = canvas.stringWidth(word, BOLD, 17) + 10 * mm
    canvas.roundRect(-width / 2, -3.2 * mm, width, 10.5 * mm, 2 * mm)
    canvas.setFont(BOLD, 17)
    canvas.drawCentredString(0, 0, word)
    canvas.restoreState()
