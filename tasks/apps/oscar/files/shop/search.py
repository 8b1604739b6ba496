"""Finds goods in the database itself: all words of what is sought in the title, and the category that was chosen."""

import json

from haystack.backends import BaseEngine
from haystack.backends.simple_backend import SimpleSearchBackend, SimpleSearchQuery
from haystack.models import SearchResult


def said(node):
    """The words and categories that a query asks for."""
    words, categories = [], []
    for child in node.children:
        if hasattr(child, "children"):
            more = said(child)
            words += more[0]
            categories += more[1]
            continue
        field, value = child
        value = getattr(value, "query_string", value)
        if field.startswith("category"):
            categories += [str(getattr(one, "pk", one)) for one in (value if isinstance(value, (list, tuple, set)) else [value])]
        elif field.startswith(("content", "text", "title")):
            words += str(value).split()
    return words, categories


class Query(SimpleSearchQuery):
    def build_query(self):
        return json.dumps(said(self.query_filter)) if self.query_filter else json.dumps([[], []])


class Backend(SimpleSearchBackend):
    def search(self, query_string, sort_by=None, **_):
        from oscar.apps.catalogue.models import Product

        words, categories = json.loads(query_string)
        goods = Product.objects.browsable().filter(is_public=True)
        for word in words:
            goods = goods.filter(title__icontains=word)
        if categories:
            goods = goods.filter(categories__in=[int(one) for one in categories])
        goods = list(goods.order_by("title"))
        for order in reversed(sort_by or []):
            field = order if isinstance(order, str) else order[0]
            back = field.startswith("-")
            if "price" in field:
                goods.sort(key=lambda one: one.stockrecords.first().price, reverse=back)
            elif "title" in field:
                goods.sort(key=lambda one: one.title, reverse=back)
        results = []
        for one in goods:
            result = SearchResult("catalogue", "product", one.pk, 0)
            result._model, result._object = Product, one
            results.append(result)
        return {"results": results, "hits": len(results)}


class Engine(BaseEngine):
    backend = Backend
    query = Query
