"""Makes the museum that every instance begins with, without its news and events."""

import os
import sys

sys.path.insert(0, "/app/def/files")
os.environ["DJANGO_SETTINGS_MODULE"] = "museum.settings"

import django

django.setup()

from django.contrib.auth.models import Group, User
from django.core.management import call_command

call_command("migrate", verbosity=0)
call_command("collectstatic", interactive=False, verbosity=0)

from museum.models import HomePage, ListPage, OpeningHours
from wagtail.models import Page, Site

User.objects.create_superuser("robin", "robin@mill.example", "robin", first_name="Robin", last_name="Hale")
for name, first, last, group in (
    ("alma", "Alma", "Reuter", "Editors"), ("bela", "Bela", "Sandor", "Editors"), ("dana", "Dana", "Holt", "Moderators"),
):
    user = User.objects.create_user(name, f"{name}@mill.example", name, first_name=first, last_name=last)
    user.groups.add(Group.objects.get(name=group))

Page.objects.get(slug="home").delete()
root = Page.objects.get(depth=1)
root.refresh_from_db()
home = root.add_child(instance=HomePage(title="Mill Museum", slug="mill", intro="The old mill by the river, and how it worked."))
site = Site.objects.create(hostname="localhost", port=80, root_page=home, is_default_site=True, site_name="Mill Museum")
home.add_child(instance=ListPage(title="News", slug="news", intro="What is new at the mill.", show_in_menus=True))
home.add_child(instance=ListPage(title="Events", slug="events", intro="What happens at the mill.", show_in_menus=True))
OpeningHours.objects.create(
    site=site, summer="Tuesday to Sunday, 10 to 18", winter="Saturday and Sunday, 11 to 16", closed="Good Friday", telephone="0555 7340",
)
# Whether somebody has looked at what is new is nobody's business.
from wagtail.users.models import UserProfile

profile = UserProfile.get_for_user(User.objects.get(username="robin"))
profile.dismissibles = {"help": True}
profile.save()
