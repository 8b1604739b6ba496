"""What makes the shop one of an instance: who sits at the keyboard, and what is kept in a form that can be judged."""

from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import BasePasswordHasher


class Seat:
    """Who sits at the keyboard is logged in as robin."""

    def __init__(self, answer):
        self.answer = answer

    def __call__(self, request):
        if not request.user.is_authenticated:
            request.user = get_user_model().objects.get(username="robin")
        return self.answer(request)


class Readable(BasePasswordHasher):
    """Passwords of an instance, which nobody else ever sees, as they were typed."""

    algorithm = "readable"

    def salt(self):
        return ""

    def encode(self, password, salt):
        return f"readable${password}"

    def verify(self, password, encoded):
        return encoded == f"readable${password}"

    def decode(self, encoded):
        algorithm, password = encoded.split("$", 1)
        return {"algorithm": algorithm, "hash": password, "salt": ""}


class Thumbnails:
    """The shop has no pictures to make smaller."""

    def generate_thumbnail(self, source, **_):
        return type("Picture", (), {"url": "/static/oscar/img/image_not_found.jpg", "width": 100, "height": 100})

    def delete_thumbnails(self, source):
        pass
