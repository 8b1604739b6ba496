"""Inputs for the comparison with WebArena-Verified (scripts/diff webarena-verified), the same ones at each run.

A case is a task, what an agent answered, and what the network saw. `of_tasks` makes them from the benchmark's tasks:
the right end, ends that are nearly right, and odd ones. `invented` makes them of values of our own, each type by
itself; these may be kept.
"""

import copy
import json
import random
import re

SITES = {"shopping": "http://127.0.0.1:7770", "shopping_admin": "http://127.0.0.1:7780/admin",
         "reddit": "http://127.0.0.1:9999", "gitlab": "http://localhost:8023", "map": "http://127.0.0.1:3000",
         "wikipedia": "http://127.0.0.1:8888"}
# Values as an agent may write them, by the type that they are of or should be of.
WRITTEN = {
    "string": ["Blue lamp", "  blue   LAMP ", "\"blue lamp\"", "blue-lamp", "Blue lamp.", "blue lamps", "", "Café “Zoë”",
               "cafe \"zoe\"", "5\u00b0 – naïve…", "5deg naive...", "^blue.*$", "^BLUE LAMP$", "^[$", "5", 5, 5.0, 0, True,
               None, ["blue lamp"], ["x", "blue lamp"], {"a": 1}, "Gloriax™ Band", "gloriax band", "12-34", "l’été",
               "http://127.0.0.1:7770/a b", "__SHOPPING__/a b", "日本", "n/a", "🎉 blue lamp", "blue lamp\n", "½", "1⁄2"],
    "number": [5, 5.0, "5", "5.0", " 5 ", "five", "Five", "1,234", 1234, "1 234", "twelve hundred thirty four", "two point five", 2.5,
               "one thousand two hundred thirty four", "no", "", None, True, False, 0, "0", "-5", "1e3", 1000, "5 items", "nan",
               "inf", "1_000", [5], [4, 5], {"n": 5}, "three million and five", 3000005, "hundred", "point", "½", "-"],
    "boolean": [True, False, "yes", "No", "TRUE", "1", 1, 0, 2, "on", "off", "y", "maybe", "", None, [True], [True, False],
                " true ", "0", "t", {}],
    "currency": ["$5.00", 5, "5", "5.09", "5.1", "5.11", "4.9", "USD 5", "5 dollars", "€5,00", "1,234.50", 1234.5, "1.234,50",
                 "$1234.5", "-$5", "-5", -5, "free", "Free shipping", "no price", "", None, True, "5%", "12.345.678", "5'000",
                 5000, ["$5", "$7"], ["$7", "$5"], ["$5"], "£5", "¥500", 500, "$.75", 0.75, "5 - 7", "5.", ",5", "$ 5 000", {}],
    "date": ["2023-01-15", "01/15/2023", "January 15, 2023", "15 Jan 2023", "Jan 15th, 2023", "15.01.2023", "2023-01-16", "20230115",
             "Sunday, January 15 2023", "2023/1/15", "1/15/23", "15-Jan-2023", "Jan 15,2023", "2023-01-15T10:20:30Z",
             "15 January 2023 10:20 pm", "13/14/2023", "2023", "today", "", None, 5, "January", "2023-02-30", "the 15th of January 2023",
             "jan 15 '23", "15/01/2023", "2023-01-15 10:20:30.5 +02:00", "1.15.2023", "January 15th 2023 at 5pm", "150123",
             "2023 15 Jan", "Jan-15-2023", ["2023-01-15"], ["2023-01-15", "2022-01-15"], "15 jan", "Mon", "10:20", "2023-015"],
    "month": ["January", "jan", "JAN", "1", "01", 1, 1.0, 1.5, 13, "13", "January 2023", "2023-01", "Jan.", "Sept", "september", 9, "",
              None, "mon", "foo", ["Jan", "Feb"], "1/2023", "01/15/2023", True, "1st", "-1", "2nd of Jan", "2023-09-05"],
    "duration": ["5 min", "5min", "5 minutes", "0:05:00", "5:00", "00:05", "300 s", "300 seconds", "5m", "1h 35min", "1 hour 35 minutes",
                 "1:35 hours", "95 min", "1hr 35min", "01:35:00", "1.5 hours", "90 minutes", "1d 2h", "26:00:00", "5", 5, "", None,
                 "five minutes", "about 5 min", "5 min.", "8 min", "8 min 1 s", "2 weeks", "1 y", "3 mo", "12 months", "-5 min", ["5 min"],
                 ["5 min", "2 h"], "1:05:00:00", ":30", "5 minutes, 20 seconds", "1h35m", "27 min", "30 min", "33 min", "1.2.3 min", {}],
    "distance": ["5 km", "5km", "5000 m", "5.05 km", "5.2 km", "3.1 miles", "3.1 mi", "3.2mi", "5k", "5.0 k", "16404 ft", "5 kilometers",
                 "5", 5, "", None, "about 5 km", "5 km (3.1 mi)", "5,000 m", "-5 km", "5 minutes", "5 KM", "196850 in", "5468 yards",
                 "500000 cm", "1e3 m", "4.9 km", "5 nmi", ["5 km"], ["5 km", "3 km"], "far", "5 miles away", "5 foot", "~5 km", "5km."],
    "coordinates": ["40.44, -79.93", [40.44, -79.93], ["40.44", "-79.93"], {"latitude": 40.44, "longitude": -79.93}, {"lat": "40.44", "lng": "-79.93"},
                    {"lat": 40.44}, "40.44 -79.93", "40.44N, 79.93W", "(40.44, -79.93)", "40.44001, -79.93", "40.44002, -79.93", "40.441, -79.93",
                    "95, 10", "10, 200", [10, -160], "10;-160", "", None, "here", 40.44, [40.44], ["40.44, -79.93", "1, 2"], ["1, 2", "40.44, -79.93"],
                    "40 26.4' 0\", -79 55.8'", {"Latitude": "40.44", "Longitude": "-79.93", "name": "x"}, "lat 40.44, -79.93", "40.44,-79.93,5 km"],
    "location-name": ["Harbour View Hotel", "harbour view hot", "Hotel Harbour View", "Harbour", "HVH", "", None, 5,
                      "Bakery on Lower Street", "Bakery Lower St", "Harbour-View Hotel", "Café Zoë", "--", "!!", ["Harbour"],
                      ["HVH", "Harbour View Hotel"], {"name": "HVH"}, "harbour view hotel, sometown"],
    "url": ["http://127.0.0.1:7770/a/b", "http://127.0.0.1:7770/a/b/", "__SHOPPING__/a/b", "HTTP://127.0.0.1:7770/A/B", "http://127.0.0.1:7770/a//b",
            "http://127.0.0.1:7770/a/./c/../b?", "http://127.0.0.1:7770/a/b?x=1&y=2", "http://127.0.0.1:7770/a/b?y=2&x=1", "/a/b", "", None, 5,
            "127.0.0.1:7770/a/b", "git@localhost:a/b.git", "ssh://git@localhost:2222/a/b.git", "git@other:A/b.git", "GIT@x:22/a/b.git",
            "http://127.0.0.1:7770/a/b#top", "http://other.org/a/b", ["http://127.0.0.1:7770/a/b"], ["x", "http://127.0.0.1:7770/a/b"],
            "^http://.*/a/b$", "^__SHOPPING__/a/b$", "http://127.0.0.1:7770/a%2Fb", "http://127.0.0.1:7770/a b", "ftp://x/y", "mailto:a@b"],
    "string_list": ["a,b", "b, a", "A , B", "a", "", None, "a,,b", "a;b", ["a,b"], ["a", "a,b"], 5],
    "json": ["{\"a\": 1, \"b\": [1, 2]}", "{\"b\":[1,2],\"a\":1}", "{\"a\": 1.0, \"b\": [1, 2]}", "[1]", "", None, "x", 5, "{\"A\": 1, \"b\": [1, 2]}",
             "{\"a\": 1, \"b\": [2, 1]}", "nul", "null"],
    "markdown": ["# Head\n\n* one\n* two", "#  Head  \n\n\n\n- one\n+ two\r\n", "# Head\n\n- one\n- two", "# head\n\n- one\n- two", "Head", "", None, 5,
                 "[a link\nhere](http://x/y)", "[a  link here]( http://x/y )", "  * nested", "    - nested", "a*b", "# Head\n\n1. one"],
    "base64": ["SGVsbG8gV29ybGQ=", "^Hello.*$", "^hello.*$", "SGVsbG8gV29ybGQ", "SGVsbG8NCldvcmxk", "SGVsbG8KV29ybGQ=", "!!", "", None, 5, "/w==",
               " SGVsbG8gV29ybGQ= ", ["SGVsbG8gV29ybGQ=", "QQ=="]],
    "null": [None, "", "n/a", "None", "N / A", "nan", "x", 0, [], {}, False, "null "],
    "integer": [5, "5", "five", 6, ""],
}
STATUSES = ["SUCCESS", "success", "NOT_FOUND_ERROR", "ACTION_NOT_ALLOWED_ERROR", "", None, "UNKNOWN_ERROR", "^.*$"]


def task(schema, data, ordered=False, task_type="retrieve", status="SUCCESS", network=()):
    """A task of our own."""
    response = {"evaluator": "AgentResponseEvaluator", "results_schema": schema, "ordered": ordered,
                "expected": {"task_type": task_type, "status": status, "retrieved_data": data}}
    return {"sites": ["shopping", "gitlab"], "task_id": 1, "intent_template_id": 1, "start_urls": ["__SHOPPING__"], "intent": "x",
            "eval": [response, *network], "intent_template": "x", "instantiation_dict": {}, "revision": 1}


def answer(data, task_type="RETRIEVE", status="SUCCESS"):
    return {"task_type": task_type, "status": status, "retrieved_data": data, "error_details": None}


def event(url, method="GET", headers=(), post=None, mime="application/x-www-form-urlencoded", status=200, content=None, cookies=()):
    """An entry of HAR."""
    request = {"url": url, "method": method, "headers": [{"name": name, "value": value} for name, value in headers]}
    if post is not None:
        request["postData"] = {"mimeType": mime, "text": post}
    response = {"status": status, "headers": [], "redirectURL": "", "cookies": [{"name": n, "value": v} for n, v in cookies]}
    if content is not None:
        response["content"] = {"mimeType": "application/json", "text": content}
    return {"request": request, "response": response}


def har(*events):
    return {"log": {"entries": list(events)}} if events else None


def schema_of(kind):
    plain = kind in ("string", "number", "boolean", "null", "integer")
    return {"type": kind} if plain else {"type": "string", "format": kind}


def invented():
    """Every two values of a type, and forms of responses and requests."""
    random_ = random.Random(1)
    for kind, values in WRITTEN.items():
        schema = {"type": "array", "items": schema_of(kind)}
        pairs = [(a, b) for a in values for b in values]
        same = [(a, a) for a in values]
        for expected, found in same + random_.sample(pairs, min(len(pairs), 170)):
            yield {"task": task(schema, [expected]), "response": answer([found]), "har": None}
    yield from responses()
    yield from lists(random_)
    yield from requests(random_)


def responses():
    right = answer(["a", "b"])
    schema = {"type": "array", "items": {"type": "string"}}
    text = json.dumps(right)
    forms = [right, text, f"```json\n{text}\n```", f"Done.\n```\n{text}\n```", f"Done: {text}", text + "x", "", None, [], [right], "null", "5", {},
             {"task_type": "RETRIEVE", "status": "SUCCESS"}, {**right, "extra": 1}, {**right, "status": None}, {**right, "task_type": 5},
             {**right, "retrieved_data": "a"}, {**right, "retrieved_data": "[\"a\", \"b\"]"}, {**right, "retrieved_data": {"a": "b"}},
             {**right, "retrieved_data": []}, {**right, "retrieved_data": 0}, {**right, "task_type": "MUTATE"}, {**right, "task_type": " retrieve. "},
             {"performed_operation": "RETRIEVE", "status": "SUCCESS", "retrieved_data": ["a", "b"]},
             {"performed_operation": "x", **right}, {**right, "status": "^.*$"}, {**right, "retrieved_data": ["^.*$", "^.*$"]}]
    for form in forms:
        for schema_, data, task_type in [(schema, ["a", "b"], "retrieve"), ({"type": "null"}, None, "retrieve"),
                                         ({"type": "null"}, None, "mutate"), ({"type": "null"}, None, "navigate")]:
            yield {"task": task(schema_, data, task_type=task_type), "response": form, "har": None}
    for status in STATUSES:
        for said in STATUSES:
            if status in ("SUCCESS", "NOT_FOUND_ERROR", "ACTION_NOT_ALLOWED_ERROR"):
                yield {"task": task({"type": "null"}, None, status=status), "response": answer(None, status=said), "har": None}
    without = task(schema, ["a"])
    del without["eval"][0]["expected"]["retrieved_data"]
    yield {"task": without, "response": answer(None), "har": None}


def lists(random_):
    of_objects = {"type": "array", "items": {"type": "object", "properties": {
        "name": {"type": "string"}, "price": {"type": "number", "format": "currency"},
        "tags": {"type": "array", "items": {"type": "string"}}, "at": {"type": "object", "properties": {"n": {"type": "number"}}}}}}
    one = {"name": "Lamp", "price": 5, "tags": ["a", "b"], "at": {"n": 1}}
    two = {"name": "Desk", "price": "$7", "tags": ["c"], "at": {"n": "two"}}
    changes = [{}, {"name": "lamp."}, {"price": "$5.05"}, {"price": "6"}, {"tags": ["b", "a"]}, {"tags": "[\"a\", \"b\"]"}, {"tags": []},
               {"tags": "a"}, {"at": "{\"n\": 1}"}, {"at": None}, {"at": [{"n": 1}]}, {"more": 1}, {"name": None}, {"at": {"n": 1, "m": 2}},
               {"name": ["Lamp", "Lampe"]}, {"tags": [["a", "x"], "b"]}, {"at": {"n": [1, 2]}}, {"tags": None}, {"price": None}]
    for change in changes:
        for ordered in (False, True):
            for found in ([{**one, **change}, two], [two, {**one, **change}], [{**one, **change}], [json.dumps({**one, **change}), two],
                          [[{**one, **change}], two]):
                yield {"task": task(of_objects, [one, two], ordered), "response": answer(found), "har": None}
    strings = {"type": "array", "items": {"type": "string"}}
    for _ in range(120):
        expected = [random_.choice(["a", "b", ["a", "c"], "^a|b$", "d e", 1]) for _ in range(random_.randint(1, 3))]
        found = [random_.choice(["a", "b", "c", "d-e", ["a", "b"], ["a"], 1, None]) for _ in range(random_.randint(0, 4))]
        yield {"task": task(strings, expected, random_.random() < 0.3), "response": answer(found), "har": None}


def requests(random_):
    shop, lab = SITES["shopping"], SITES["gitlab"]
    page = [("Accept", "text/html,application/xhtml+xml"), ("Sec-Fetch-User", "?1"), ("Sec-Fetch-Dest", "document"), ("Sec-Fetch-Mode", "navigate")]
    checks = [
        ({"url": "__SHOPPING__/a/b", "query_params": {"q": ["Lamp "], "n": ["^(1|2)$"]}}, {}),
        ({"url": "__SHOPPING__/a/b?q=lamp"}, {"ignored_query_params": ["n"], "ignored_query_params_patterns": ["^x_"]}),
        ({"url": ["__SHOPPING__/a/b", "__SHOPPING__/c"], "response_status": 302}, {"last_event_only": False}),
        ({"url": "^__SHOPPING__/a/.*$"}, {"ignored_query_params_patterns": [".*"]}),
        ({"url": "^.*/a/b$", "headers": {"referer": "__SHOPPING__/from", "Cookie": "^.*k=1.*$"}}, {}),
        ({"url": "__SHOPPING__/a/b", "query_params": {"from": ["01/1/2023"]}},
         {"ignored_query_params_patterns": ["^(?!from$).*$"],
          "query_params_schema": {"type": "object", "properties": {"from": {"type": "array", "items": {"type": "string", "format": "date"}}}}}),
        ({"url": "__SHOPPING__/a", "query_params": {"k": ["v"]}}, {"decode_base64_query": True}),
        ({"url": "__GITLAB__/api/x", "http_method": "POST", "post_data": {"name": "Lamp", "n": "^\\d+$"}}, {"ignored_post_data_params_patterns": ["^key$"]}),
        ({"url": "__GITLAB__/api/x", "http_method": "POST", "response_status": 201,
          "post_data": {"$.a[0].b": "# Head\n* one", "$.note.note": "hi", "$['m'][?(@.new == 1)].v": ["x", "y"], "price": 5}},
         {"post_data_schema": {"type": "object", "properties": {"$.a[0].b": {"type": "string", "format": "markdown"}, "price": {"type": "number", "format": "currency"},
                               "$['m'][?(@.new == 1)].v": {"type": "array", "items": {"type": "string"}}}}}),
        ({"url": "__GITLAB__/api/x", "http_method": "POST", "post_data": {"$.^path_a|path_b$": "LICENSE", "ids": None}}, {}),
        ({"url": "__GITLAB__/api/x", "http_method": "POST", "response_content": {"count": 5, "ok": True, "$.items[0].name": "Lamp"},
          "response_cookies": {"msg": "^.*added.*$"}}, {}),
        ({"url": "__SHOPPING__/a/b"}, {"should_not_exist": True}),
        ({"url": "__GITLAB__/api/x", "http_method": "POST", "post_data": {"key": "1"}}, {"ignored_post_data_params_patterns": ["^key$"]}),
    ]
    gets = ["/a/b", "/a/b?q=lamp&n=1", "/a/b?n=3&q=lamp", "/a/b/?q=LAMP&n=2", "/a/b?q=lamp&x_1=5&n=7", "/a/c?y=1", "/c", "/a/b?from=2023-01-01", "/a/b?from=01/02/2023&to=1",
            "/a/az12/", "/a/az12dg==/", "/a/az12", "/a/a2Vy/", "/a/az12#f", "/a.css", "/a?k=v", "/a/b?q=lamp%20&n=1", "/a/b?q=%256camp&n=1", "/a/az12/az12"]
    posts = [("name=lamp&n=5&key=1", None), ("name=Lamp&n=x", None), ("n=5", None), ("", None), ("{\"name\": \"Lamp\", \"n\": \"7\"}", "application/json"),
             ("{\"a\": [{\"b\": \"# Head\\n- one\"}], \"note\": {\"note\": \"Hi\"}, \"m\": \"[{\\\"new\\\": 1, \\\"v\\\": \\\"x\\\"}, {\\\"new\\\": \\\"1\\\", \\\"v\\\": \\\"y\\\"}, {\\\"new\\\": 0, \\\"v\\\": \\\"z\\\"}]\", \"price\": \"$5\"}", "application/json"),
             ("{\"a\": [{\"b\": \"# Head\\n- two\"}], \"note\": {\"note\": \"Hi\"}, \"m\": \"[]\", \"price\": \"$5\"}", "application/json"),
             ("{\"a\": [], \"note\": \"hi\"}", "application/json"), ("[1]", "application/json"), ("x", "text/plain"),
             ("--B\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nLamp\r\n--B\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n12\r\n--B--\r\n", "multipart/form-data; boundary=B"),
             ("path_a=license&x=1", None), ("path_b=LICENSE&path_a=LICENSE", None), ("ids=&path_b=LICENSE", None)]
    contents = [None, "{\"count\": 5, \"ok\": true, \"items\": [{\"name\": \"Lamp\"}]}", "{\"count\": 5.0, \"ok\": 1, \"items\": [{\"name\": \"Lamp\"}], \"more\": 1}",
                "{\"count\": \"5\", \"ok\": true, \"items\": []}", "{\"count\": 4}"]
    froms = [[], [("Referer", shop + "/from"), ("cookie", "a=2; k=1")], [("referer", shop + "/FROM/?x=1"), ("Cookie", "k=1")], [("referer", "http://else/from"), ("Cookie", "k=1")],
             [("Referer", shop + "/from"), ("Cookie", "k=2")]]
    for expected, more in checks:
        for kind in ("navigate", "mutate"):
            check = {"evaluator": "NetworkEventEvaluator", "expected": expected, **more}
            one = task({"type": "null"}, None, task_type=kind, network=[check])
            if expected.get("http_method") == "POST":
                made = [event(lab + "/api/x", "POST", [], post, mime or "application/x-www-form-urlencoded", status, content,
                              [("msg", "It%20was%20added")] if content else [("msg", "no")])
                        for post, mime in posts for content in contents for status in ((200, 201) if content is None else (200,))]
            else:
                made = [event(shop + url, "GET", page * (kind == "navigate") + from_, status=status) for url in gets for from_ in froms for status in (200, 302)]
            for entry in random_.sample(made, min(len(made), 50)):
                more_entries = random_.choice([[], [event(shop + "/other", headers=page)], [event(shop + "/a/b?q=lamp&n=1", headers=page)]])
                entries = [entry, *more_entries] if random_.random() < 0.5 else [*more_entries, entry]
                yield {"task": one, "response": answer(None, kind.upper()), "har": har(*entries)}
            yield {"task": one, "response": answer(None, kind.upper()), "har": har(event(shop + "/nowhere"))}


def rendered(text):
    for site, url in SITES.items():
        text = text.replace(f"__{site.upper()}__", url)
    return text


def example(pattern):
    """A text that a simple pattern matches, as far as that is easily found."""
    text = re.sub(r"\(\?=\.\*([^()]*)\)", r"\1 ", pattern[1:-1])
    text = re.sub(r"\(\?[!=][^()]*\)", "", text)
    text = re.sub(r"\(\?:", "(", text)
    while "(" in text and re.search(r"\(([^()|]*)(\|[^()]*)?\)", text):
        text = re.sub(r"(?<!\\)\(([^()|]*)(\|[^()]*)?(?<!\\)\)\??", r"\1", text, count=1)
        if not re.search(r"(?<!\\)\(", text):
            break
    for a, b in [(r"[.\s]+", ". "), (r"\s+", " "), ("#?", "#"), ("0*", ""), (r"\.?", "."), (r"\d+", "12"), (r"\d", "1"), (r"\s*", ""),
                 (".*", "x"), (r"[a-z0-9-]*", "a"), (r"/?", "/")]:
        text = text.replace(a, b)
    return re.sub(r"\\(.)", r"\1", text)


def value_of(value):
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, str) and value.startswith("^") and value.endswith("$"):
        return example(value)
    return rendered(value) if isinstance(value, str) else value


def right_event(check, from_="mutate"):
    """A request that should be the one that a check asks for."""
    from urllib.parse import urlencode
    expected = check["expected"]
    url = rendered(value_of(expected["url"]))
    query = {name: value_of(values) for name, values in (expected.get("query_params") or {}).items()}
    if query:
        url += ("&" if "?" in url else "?") + urlencode(query)
    headers = [("accept", "text/html"), *[(name, rendered(str(value_of(value)))) for name, value in (expected.get("headers") or {}).items()]]
    post, mime = None, "application/x-www-form-urlencoded"
    if expected.get("post_data"):
        data = {name: value for name, value in expected["post_data"].items()}
        if any(name.startswith("$") for name in data):
            mime, built = "application/json", {}
            for name, value in data.items():
                put(built, name, value)
            post = json.dumps(built)
        else:
            # Something is sent, also where all that is asked for is what must not be.
            post = urlencode({name: value_of(value) for name, value in data.items() if value is not None}) or "product=1"
    content = None
    if expected.get("response_content"):
        built = {}
        for name, value in expected["response_content"].items():
            put(built, name, value)
        content = json.dumps(built)
    cookies = [(name, value_of(value)) for name, value in (expected.get("response_cookies") or {}).items()]
    return event(url, expected.get("http_method", "GET"), headers, post, mime, expected.get("response_status", 200), content, cookies)


def put(built, path, value):
    """Puts a value where a path will find it."""
    value = value_of(value) if isinstance(value, str) else value
    if path.startswith("$.^"):
        built[example(path[2:]).partition("|")[0]] = value
    elif "?(" in path:
        name = re.match(r"\$\['([^']+)'\]", path).group(1)
        field = re.search(r"@\.(\w+)", path).group(1)
        leaf = path.rsplit(".", 1)[1]
        built[name] = json.dumps([{field: 1, leaf: one} for one in (value if isinstance(value, list) else [value])])
    elif path.startswith("$."):
        here, steps = built, re.findall(r"(\w+)(?:\[(\d+)\])?", path[2:])
        for at, (name, index) in enumerate(steps):
            last = at == len(steps) - 1
            if index:
                all_ = here.setdefault(name, [])
                while len(all_) <= int(index):
                    all_.append({})
                here = all_[int(index)]
            elif last:
                here[name] = value
            else:
                here = here.setdefault(name, {})
    else:
        built[path] = value


def changed(value, random_):
    """A value that is written in another way, or is another."""
    if isinstance(value, dict):
        name = random_.choice(list(value) or [""])
        ways = [{**value, name: changed(value.get(name), random_)}, {key: one for key, one in value.items() if key != name},
                {**value, "more": 1}, json.dumps(value), list(value.values())]
    elif isinstance(value, list):
        ways = [value[::-1], value[:1], value + value[:1], [changed(one, random_) for one in value], changed(value[0], random_) if value else None]
    elif isinstance(value, bool):
        ways = [not value, "yes" if value else "no", str(value), int(value)]
    elif isinstance(value, (int, float)):
        ways = [str(value), f"{value:,}", f"${value}", value + 1, value + 0.05, float(value), f"{value} items", -value, f"USD {value:.2f}"]
    elif isinstance(value, str):
        words = value.split()
        ways = [value.upper(), f" {value} ", value + ".", f'"{value}"', value[:-1], value + "s", " ".join(words[::-1]), value.replace("-", " "),
                value.replace(" ", "-"), f"the {value}", [value], [value, "other"], value.replace(":", "h"), value.replace("min", " minutes"),
                value.replace("km", " kilometers"), "", rendered(value), value.replace("e", "é"), value.replace("'", "’"), f"about {value}"]
    else:
        ways = ["", [], "n/a", 0, "none", [None]]
    return random_.choice(ways)


def of_tasks(tasks):
    """For every task the right end and others."""
    for one in tasks:
        random_ = random.Random(one["task_id"])
        response = next(check for check in one["eval"] if check["evaluator"] == "AgentResponseEvaluator")
        expected = response["expected"]
        kind, data = expected["task_type"].upper(), expected.get("retrieved_data")
        right = answer([alternative(item) for item in data] if isinstance(data, list) else data, kind, expected["status"])
        network = [check for check in one["eval"] if check["evaluator"] == "NetworkEventEvaluator"]
        try:
            events = [right_event(check) for check in network if not check.get("should_not_exist")]
        except (AttributeError, IndexError, KeyError, ValueError):
            events = []
        if network and not events:
            events = [event("http://127.0.0.1:1/x")]
        whole = har(*events)

        def case(said=right, seen=whole):
            return {"task": one, "response": copy.deepcopy(said), "har": copy.deepcopy(seen)}
        yield case()
        yield case(json.dumps(right))
        yield case({**right, "status": random_.choice(STATUSES)})
        yield case({**right, "task_type": random_.choice(["RETRIEVE", "MUTATE", "navigate", "", "x"])})
        for _ in range(4):
            yield case({**right, "retrieved_data": changed(right["retrieved_data"], random_)})
        for _ in range(2 if network else 0):
            yield case(seen=har(*events[:-1], event("http://127.0.0.1:1/x", headers=[("accept", "text/html")])))
            for at in range(len(events)):
                others = copy.deepcopy(events)
                entry = others[at]
                spot = random_.randrange(7)
                request, answer_ = entry["request"], entry["response"]
                if spot == 0:
                    request["url"] += random_.choice(["/", "?x=1", "&y=2", "#f", "/more", "?isAjax=true"])
                elif spot == 1:
                    request["method"] = random_.choice(["GET", "POST", "post", "PUT"])
                elif spot == 2:
                    answer_["status"] = random_.choice([200, 302, 404, 201])
                elif spot == 3 and "postData" in request:
                    text = request["postData"]["text"]
                    request["postData"]["text"] = random_.choice([text.replace("a", "e"), text.upper(), text + "&form_key=1", text[:-1], ""])
                elif spot == 4:
                    request["headers"] = request["headers"][:1]
                elif spot == 5:
                    others.append(copy.deepcopy(entry))
                    others[-1]["request"]["url"] = others[-1]["request"]["url"].upper()
                else:
                    others.insert(0, event(SITES["shopping"] + "/style.css"))
                yield case(seen=har(*others))


def alternative(item):
    return item[0] if isinstance(item, list) and item and not isinstance(item[0], (int, float)) else item
