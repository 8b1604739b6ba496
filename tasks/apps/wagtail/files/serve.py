"""Lays out what an instance was seeded with, and serves it."""

import datetime
import json
import os
import sys

sys.path.insert(0, "/app/def/files")
os.environ["DJANGO_SETTINGS_MODULE"] = "museum.settings"

import django

django.setup()

from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application
from django.db import transaction
from django.utils.text import slugify


def lay(seed):
    from django.contrib.auth.models import User
    from museum.models import EventPage, NewsPage, TextPage
    from wagtail.models import Page

    kinds = {"news": NewsPage, "event": EventPage, "text": TextPage}
    places = {"news": Page.objects.get(slug="news"), "event": Page.objects.get(slug="events"), "text": Page.objects.get(slug="mill")}
    users = {user.username: user for user in User.objects.all()}
    at = datetime.datetime(2026, 3, 2, 9, tzinfo=datetime.timezone.utc)
    for told in seed["pages"]:
        told = dict(told)
        kind, live = told.pop("kind"), told.pop("live", True)
        owner = users[told.pop("owner", "alma")]
        at += datetime.timedelta(hours=5)
        page = kinds[kind](
            slug=slugify(told["title"]), live=live, has_unpublished_changes=not live, owner=owner, first_published_at=at if live else None,
            last_published_at=at if live else None, latest_revision_created_at=at, **told,
        )
        places[kind].add_child(instance=page)
        places[kind].refresh_from_db()


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


with open("/data/seed/museum.json") as file, transaction.atomic():
    lay(json.load(file))
server = ThreadedWSGIServer(("127.0.0.1", 8000), Quiet, ipv6=False)
server.set_app(get_wsgi_application())
server.daemon_threads = True
server.serve_forever()
