"""What makes the site one of an instance: who sits at the keyboard, and what is kept in a form that can be judged."""

from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import BasePasswordHasher, mask_hash
from django.core.files.storage import FileSystemStorage


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

    def safe_summary(self, encoded):
        return {"algorithm": self.algorithm, "hash": mask_hash(self.decode(encoded)["hash"])}


class Keep(FileSystemStorage):
    """Files whose name is taken get a number in place of a word that chance made."""

    def get_alternative_name(self, file_root, file_ext):
        number = 2
        while self.exists(f"{file_root}-{number}{file_ext}"):
            number += 1
        return f"{file_root}-{number}{file_ext}"
