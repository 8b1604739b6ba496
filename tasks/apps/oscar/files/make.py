"""Makes the shop that every instance begins with, without its goods and orders."""

import os
import sys

sys.path.insert(0, "/app/def/files")
os.environ["DJANGO_SETTINGS_MODULE"] = "shop.settings"

import django

django.setup()

from django.core.management import call_command

call_command("migrate", verbosity=0)
call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=["*.scss"])

from django.contrib.auth.models import User
from django.contrib.sites.models import Site
from oscar.apps.address.models import Country, UserAddress
from oscar.apps.catalogue.models import Category, ProductClass
from oscar.apps.partner.models import Partner

Site.objects.filter(pk=1).update(domain="localhost", name="Paper and Ink")
robin = User.objects.create_superuser("robin", "robin@paper.example", "robin", first_name="Robin", last_name="Hale")
country = Country.objects.create(
    iso_3166_1_a2="NL", iso_3166_1_a3="NLD", iso_3166_1_numeric="528", printable_name="Netherlands", name="Netherlands", is_shipping_country=True,
)
UserAddress.objects.create(
    user=robin, first_name="Robin", last_name="Hale", line1="Quay 12", line4="Zierikzee", postcode="4301 AB", country=country, is_default_for_shipping=True,
)
ProductClass.objects.create(name="Goods", requires_shipping=True, track_stock=True)
for name in ("Paper", "Ink", "Pens", "Binding"):
    Category.add_root(name=name)
Partner.objects.create(name="Warehouse", code="warehouse").users.add(robin)
