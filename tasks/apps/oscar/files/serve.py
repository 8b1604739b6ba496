"""Lays out what an instance was seeded with, and serves it."""

import datetime
import json
import os
import sys
from decimal import Decimal

sys.path.insert(0, "/app/def/files")
os.environ["DJANGO_SETTINGS_MODULE"] = "shop.settings"

import django

django.setup()

from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application
from django.db import transaction


def lay(seed):
    from django.contrib.auth.models import User
    from django.contrib.flatpages.models import FlatPage
    from oscar.apps.address.models import Country
    from oscar.apps.catalogue.models import Category, Product, ProductCategory, ProductClass
    from oscar.apps.order.models import BillingAddress, Line, Order, OrderNote, ShippingAddress
    from oscar.apps.partner.models import Partner, StockRecord

    goods, warehouse = ProductClass.objects.get(), Partner.objects.get()
    country, robin = Country.objects.get(), User.objects.get(username="robin")
    categories = {category.name: category for category in Category.objects.all()}
    stock = {}
    for number, told in enumerate(seed["products"], 1):
        product = Product.objects.create(
            product_class=goods, title=told["title"], upc=f"{1000 + number}", description=told.get("text", ""), meta_description="",
        )
        ProductCategory.objects.create(product=product, category=categories[told["category"]])
        stock[told["title"]] = StockRecord.objects.create(
            product=product, partner=warehouse, partner_sku=f"W-{1000 + number}", price_currency="EUR", price=Decimal(told["price"]),
            num_in_stock=int(told["stock"]),
        )
    customers = {}
    for name in seed["customers"]:
        first, last = name.split(" ", 1)
        customers[name] = User.objects.create(
            username=first.lower() + last[0].lower(), first_name=first, last_name=last, email=f"{first}.{last}@post.example".lower(), password="!",
        )
    at = datetime.datetime(2026, 3, 2, 9, tzinfo=datetime.timezone.utc)
    for number, told in enumerate(seed["orders"], 1):
        at += datetime.timedelta(hours=7)
        who = customers[told["customer"]]
        place = {
            "first_name": who.first_name, "last_name": who.last_name, "line1": f"Dyke {number * 3}", "line4": "Goes", "postcode": "4461 AA",
            "country": country,
        }
        total = sum(stock[line["title"]].price * int(line["quantity"]) for line in told["lines"])
        order = Order.objects.create(
            number=f"{2000 + number}", user=who, currency="EUR", total_incl_tax=total, total_excl_tax=total, shipping_incl_tax=0,
            shipping_excl_tax=0, shipping_method="Free shipping", shipping_code="free-shipping", status=told["status"], date_placed=at,
            shipping_address=ShippingAddress.objects.create(**place),
        )
        for line in told["lines"]:
            record, many = stock[line["title"]], int(line["quantity"])
            price = record.price * many
            Line.objects.create(
                order=order, partner=warehouse, partner_name="Warehouse", partner_sku=record.partner_sku, stockrecord=record,
                product=record.product, title=line["title"], upc=record.product.upc, quantity=many, line_price_incl_tax=price,
                line_price_excl_tax=price, line_price_before_discounts_incl_tax=price, line_price_before_discounts_excl_tax=price,
                unit_price_incl_tax=record.price, unit_price_excl_tax=record.price, status=told["status"], num_allocated=many,
            )
        if told.get("note"):
            OrderNote.objects.create(order=order, user=robin, note_type="Info", message=told["note"])
    for told in seed.get("pages", []):
        page = FlatPage.objects.create(url=told["url"], title=told["title"], content=told["text"])
        page.sites.add(1)


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


with open("/data/seed/shop.json") as file, transaction.atomic():
    lay(json.load(file))
server = ThreadedWSGIServer(("127.0.0.1", 8000), Quiet, ipv6=False)
server.set_app(get_wsgi_application())
server.daemon_threads = True
server.serve_forever()
