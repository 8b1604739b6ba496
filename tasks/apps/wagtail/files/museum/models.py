"""Pages of a small museum: news, events, and pages of plain text."""

import re

from django.db import models
from wagtail.admin.panels import FieldPanel
from wagtail.contrib.settings.models import BaseSiteSetting, register_setting
from wagtail.fields import RichTextField
from wagtail.models import Page
from wagtail.search import index


class Text(RichTextField):
    """Rich text without the keys of its blocks, which chance makes."""

    def pre_save(self, instance, add):
        text = re.sub(r' data-block-key="[^"]*"', "", super().pre_save(instance, add) or "")
        setattr(instance, self.attname, text)
        return text


class HomePage(Page):
    intro = models.CharField(max_length=250, blank=True)
    content_panels = Page.content_panels + [FieldPanel("intro")]
    parent_page_types = ["wagtailcore.Page"]
    template = "page.html"


class ListPage(Page):
    """A page whose subpages are listed on it."""

    intro = models.CharField(max_length=250, blank=True)
    content_panels = Page.content_panels + [FieldPanel("intro")]
    subpage_types = ["museum.NewsPage", "museum.EventPage"]
    template = "page.html"


class TextPage(Page):
    body = Text(features=["h2", "bold", "italic", "ol", "ul", "link"])
    content_panels = Page.content_panels + [FieldPanel("body")]
    search_fields = Page.search_fields + [index.SearchField("body")]
    template = "page.html"


class NewsPage(Page):
    date = models.DateField()
    intro = models.CharField(max_length=250)
    body = Text(features=["h2", "bold", "italic", "ol", "ul", "link"], blank=True)
    content_panels = Page.content_panels + [FieldPanel("date"), FieldPanel("intro"), FieldPanel("body")]
    search_fields = Page.search_fields + [index.SearchField("intro")]
    subpage_types = []
    template = "page.html"


class EventPage(Page):
    ROOMS = [(room, room) for room in ("Mill loft", "Engine room", "Wheel yard", "Bakehouse", "Granary")]
    date = models.DateField()
    room = models.CharField(max_length=40, choices=ROOMS)
    price = models.DecimalField("price in euros", max_digits=6, decimal_places=2, default=0)
    body = Text(features=["bold", "italic", "ul", "link"], blank=True)
    content_panels = Page.content_panels + [
        FieldPanel("date"), FieldPanel("room"), FieldPanel("price"), FieldPanel("body"),
    ]
    search_fields = Page.search_fields + [index.SearchField("room")]
    subpage_types = []
    template = "page.html"


@register_setting(icon="calendar-alt")
class OpeningHours(BaseSiteSetting):
    summer = models.CharField(max_length=60)
    winter = models.CharField(max_length=60)
    closed = models.CharField("closed on", max_length=60)
    telephone = models.CharField(max_length=40)

    class Meta:
        verbose_name = "opening hours"


class Draft(models.Model):
    """What a page says that is not published yet: a row for each page that has such changes, without times and keys."""

    page = models.OneToOneField(Page, models.CASCADE, primary_key=True)
    title = models.CharField(max_length=255)
    intro = models.TextField(blank=True)
    date = models.TextField(blank=True)
    room = models.TextField(blank=True)
    price = models.TextField(blank=True)
    body = models.TextField(blank=True)
