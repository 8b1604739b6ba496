import re

from django.apps import AppConfig
from django.db.models.signals import post_save


def keep_draft(sender, instance, **_):
    """Told of each revision: what a page now says in its draft."""
    from museum.models import Draft
    from wagtail.models import Page

    if not issubclass(instance.content_type.model_class(), Page):
        return
    said = {name: str(instance.content.get(name) or "") for name in ("title", "intro", "date", "room", "price", "body")}
    said["body"] = re.sub(r' data-block-key="[^"]*"', "", said["body"])
    Draft.objects.update_or_create(page_id=int(instance.object_id), defaults=said)


def drop_draft(sender, instance, **_):
    from museum.models import Draft

    Draft.objects.filter(page_id=instance.pk).delete()


class MuseumConfig(AppConfig):
    name = "museum"
    verbose_name = "Museum"

    def ready(self):
        from wagtail.models import Revision
        from wagtail.signals import page_published

        post_save.connect(keep_draft, sender=Revision)
        page_published.connect(drop_draft)
