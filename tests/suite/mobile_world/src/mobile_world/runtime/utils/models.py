"""A stand-in for MobileWorld's list of apps."""
APP_DICT = {"Settings": "com.android.settings"}
