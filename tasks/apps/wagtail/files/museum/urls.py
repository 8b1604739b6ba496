from django.urls import include, path, re_path
from django.views.static import serve
from wagtail import urls as wagtail_urls
from wagtail.admin import urls as admin_urls
from wagtail.documents import urls as documents_urls

urlpatterns = [
    re_path(r"^static/(?P<path>.*)$", serve, {"document_root": "/app/static"}),
    re_path(r"^media/(?P<path>.*)$", serve, {"document_root": "/data/media"}),
    path("admin/", include(admin_urls)),
    path("documents/", include(documents_urls)),
    path("", include(wagtail_urls)),
]
