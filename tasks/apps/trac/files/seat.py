"""Who sits at the keyboard is logged in as the user that the application's task is written for."""

from trac.core import Component, implements
from trac.web.api import IAuthenticator


class Seat(Component):
    implements(IAuthenticator)

    def authenticate(self, req):
        return "robin"
