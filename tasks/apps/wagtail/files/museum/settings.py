"""The settings of the museum's website and of its editors' desk."""

SECRET_KEY = "each instance is its own world"
DEBUG = False
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "museum.urls"
INSTALLED_APPS = [
    "museum.apps.MuseumConfig",
    "wagtail.contrib.redirects",
    "wagtail.contrib.settings",
    "wagtail.embeds",
    "wagtail.sites",
    "wagtail.users",
    "wagtail.documents",
    "wagtail.images",
    "modelsearch",
    "wagtail.admin",
    "wagtail",
    "modelcluster",
    "taggit",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "museum.seat.Seat",
    "django.contrib.messages.middleware.MessageMiddleware",
    "wagtail.contrib.redirects.middleware.RedirectMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": ["/app/def/files/museum/templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "wagtail.contrib.settings.context_processors.settings",
            ]
        },
    }
]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": "/data/museum.db",
        "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE", "init_command": "PRAGMA synchronous=OFF"},
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
# What somebody chose as a password is judged as well: it stays readable.
PASSWORD_HASHERS = ["museum.seat.Readable"]
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
STORAGES = {
    "default": {"BACKEND": "museum.seat.Keep"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "/static/"
STATIC_ROOT = "/app/static"
MEDIA_ROOT = "/data/media"
MEDIA_URL = "/media/"
LOGGING = {"version": 1, "disable_existing_loggers": True}
LOGGING_CONFIG = None

WAGTAIL_SITE_NAME = "Mill Museum"
WAGTAILADMIN_BASE_URL = "http://localhost"
# Nothing asks the world outside.
WAGTAIL_GRAVATAR_PROVIDER_URL = None
WAGTAIL_ENABLE_UPDATE_CHECK = False
WAGTAIL_ENABLE_WHATS_NEW_BANNER = False
WAGTAIL_USER_TIME_ZONES = ["UTC"]
WAGTAILADMIN_COMMENTS_ENABLED = False
WAGTAILIMAGES_EXTENSIONS = ["gif", "jpg", "jpeg", "png", "webp", "svg"]
WAGTAILDOCS_EXTENSIONS = ["csv", "pdf", "txt", "svg"]
WAGTAIL_AUTOSAVE_INTERVAL = 0
WAGTAIL_EDITING_SESSION_PING_INTERVAL = 3600000
SILENCED_SYSTEM_CHECKS = ["security.W003"]
