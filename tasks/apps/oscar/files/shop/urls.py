from django.apps import apps
from django.urls import include, path, re_path
from django.views.static import serve

urlpatterns = [
    re_path(r"^static/(?P<path>.*)$", serve, {"document_root": "/app/static"}),
    re_path(r"^media/(?P<path>.*)$", serve, {"document_root": "/data/media"}),
    path("", include(apps.get_app_config("oscar").urls[0])),
]
