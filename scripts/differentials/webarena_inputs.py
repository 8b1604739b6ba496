"""Inputs of our own making for the evaluators of WebArena's versions: tasks, answers and pages.

A case is a task's object (without what the evaluators do not read), an answer, the address at the end, the pages by
address, what a judge replies, and what the shop's interface answers.
"""

import random

SHOP = "http://shop.test:7770"
FORUM = "http://forum.test:9999"
GIT = "http://git.test:8023"
SITES = [f"shopping={SHOP}", f"reddit={FORUM}", f"gitlab={GIT}"]
OR = " |OR| "

WORDS = """0 5 12 500 1,000 $0.00 $12.50 3.5 blue red Blue sky amazon ironman today N/A n/a n't cannot gonna it's 'tis
the of in no yes ok mr. dr. inc. corp. u.s. p.m. q.x. example.com and/or c++ a-b x--y -- ... .. . , ; : ? ! " ' `` ''
( ) [ ] { } < > % # & @ * / é Straße ΑΘΉΝΑ İ 你好 “so” ‘it’ «x» 1. 2. 10. a. b. k. 5? 7! 'quoted' "double" 'd 'll we'll
rock'n'roll O'Neil 12/13/2023 +1-202-555 #42 @ada 50% a:b 1:30 e.g. i.e. Ph.D. "Yes." (no). no.) yes!! \t \n""".split(" ")
SENTENCES = ["The answer is {}.", "{}", "It is {}. It was not.", "{}, {} and {}", "No {}! Only {}? Perhaps.", "'{}'",
             "\"{}\"", " {} ", "I found {} ({}).", "{}. {}.", "{} |OR| {}", "{}/{}", "mr. {} has {}. he is {}.", "so: {}; {}",
             "{}.\n{}", "“{}.” {}", "({}.) {}", "{}... {}", "{}.'' {}", "about {}% of {}"]
QUERIES = ["", "?a=1", "?a=1&b=2", "?b=2&a=1", "?a=", "?q=two+words", "?q=two%20words", "?q=%C3%A9", "?a=1&a=2", "?a=%zz", "?a",
           "?a=1;b=2", "?x=1#f", "#f", "?a=b=c", "?%61=1", "?q=é"]
PATHS = ["", "/", "//", "/f", "/f/books", "/f/books/", "/f/books/12", "/f/books/12/title/-/comment/9", "/f/books//",
         "/a/b;c/d", "/a/b;c", "/reports/viewed", "/reports/viewedasdf", "/é", "/A", "/u/ada/1/2"]


def word(dice):
    return dice.choice(WORDS)


def text(dice):
    sentence = dice.choice(SENTENCES)
    return sentence.format(*[word(dice) for _ in range(sentence.count("{}"))])


def answer(dice, references):
    """An answer that may well be right."""
    shape = dice.randrange(6)
    picked = dice.choice(references) if references else word(dice)
    if shape == 0:
        return picked
    if shape == 1:
        return text(dice)
    if shape == 2:
        return f"{picked} {text(dice)}"
    if shape == 3:
        return dice.choice(["'{}'", '"{}"', "{}.", " {} ", "{}", "({})", "the {}. then", "'\"{}\"'"]).format(picked)
    if shape == 4:
        return picked.upper() if dice.random() < 0.5 else picked.lower()
    return dice.choice(["", "'", '"', "N/A", "n/a", "'N/A'", " N/A ", "not possible", "5", "1,234", "-3", "five", "1_0"])


def url(dice):
    host = dice.choice([SHOP, FORUM, "https://shop.test:7770", "http://localhost:7770", "http://127.0.0.1:7770", "HTTP://Shop.test:7770",
                        "http://user@shop.test", "http:/x", "shop.test/a"])
    return host + dice.choice(PATHS) + dice.choice(QUERIES)


def task(eval_types, **more):
    return {"sites": ["shopping", "reddit", "gitlab"], "task_id": 1, "start_url": SHOP, "intent": "How many?",
            "eval": {"eval_types": eval_types, "reference_answers": None, "reference_url": "", "program_html": [], **more}}


def case(rules, of, said="", at=SHOP, pages=None, replies=None, orders=None, reviews=None):
    return {"rules": rules, "task": of, "answer": said, "url": at, "pages": pages or {}, "replies": replies or [],
            "orders": orders, "reviews": reviews}


REPLIES = ["correct", "Correct.", "incorrect", "partially correct", "It is Partially Correct", "well", "", "same", "different",
           "The Same", "same, not different", "INCORRECT"]


def bound(dice):
    one = dice.choice(["< 700", "<= 5", ">= 5", "== 5", "> 3", "== 1234", ">=1e1", "< 1_0", "5", "=< 5", "< <", "> -3", "== 5.0"])
    return one if dice.random() < 0.8 else one + OR + dice.choice(["== 5", "> 100"])


def strings(rules, dice):
    """Of answers."""
    answers, references = {}, []
    for name in dice.sample(["exact_match", "must_include", "must_exclude", "one_of", "required_values", "fuzzy_match", "other"],
                            dice.choice([1, 1, 1, 2])):
        if name == "exact_match":
            answers[name] = dice.choice([word(dice), text(dice)])
            references.append(answers[name])
        elif name in ("must_include", "must_exclude", "one_of"):
            answers[name] = [dice.choice([word(dice), text(dice)]) for _ in range(dice.choice([1, 1, 2, 3]))]
            references += [part for one in answers[name] for part in one.split(OR)]
        elif name == "required_values":
            answers[name] = [bound(dice) for _ in range(dice.choice([1, 2]))]
            references += ["5", "4", "1,234", "700"]
        elif name == "fuzzy_match":
            answers[name] = dice.choice(["N/A", [word(dice)], [word(dice), word(dice)]])
            references.append("N/A")
        else:
            answers["other"] = "x"
    of = task(["string_match"], reference_answers=answers, string_note="There is no such thing.")
    return case(rules, of, answer(dice, references), replies=[dice.choice(REPLIES)] * 9)


def urls(rules, dice):
    """Of addresses."""
    first = url(dice)
    reference = first if dice.random() < 0.6 else first + OR + url(dice)
    at = dice.choice([first, first + "/", first + "x", first.rstrip("/"), url(dice), url(dice), first + "&c=3"])
    of = task(["url_match"], reference_url=reference)
    note = dice.choice([None, "GOLD in PRED", "GOLD in PRED", "EXACT", "OTHER"])
    if note:
        of["eval"]["url_note"] = note
    return case(rules, of, at=at)


MARKS = ["&amp;", "&lt;b&gt;", "&nbsp;", "&#39;", "&#x27;", "&copy", "&notit;", "&hellip;", "a&&b;", "&quot;", "&eacute;", "&#128;", "&foo;",
         "&Tab;", "&ltx", "&#0;", "&"]
LOCATORS = ["document.querySelector('#a').outerText", "[...document.querySelectorAll('.b')].map(e => e.getAttribute('x')).join(' ')",
            "document.querySelector('#c').value", ""]
VALUES = [None, True, False, 3, 2.5, 1e21, -4, "", ["a", "it's", None, 1], {"k": [True, "x"]}, "1,234", "5"]


def shown(dice):
    """What a page says."""
    return "".join(dice.choice([text(dice), dice.choice(MARKS), " "]) for _ in range(dice.choice([1, 2, 3])))


def html(rules, dice):
    """Of pages."""
    pages, targets = {}, []
    start = FORUM + dice.choice(PATHS)
    places = [start, SHOP + "/one", SHOP + "/two"]
    for _ in range(dice.choice([1, 1, 2])):
        place = dice.choice(["last", "last", *places[1:], "func:reddit_get_post_url('__last_url__')", "func:shopping_get_latest_order_url()"])
        locator = dice.choice([*LOCATORS, *LOCATORS, "func:gitlab_get_project_memeber_role(__page__, 'ada')",
                               "func:shopping_get_sku_latest_review_author('B00')", "func:shopping_get_sku_latest_review_rating('B00')",
                               "lambda: 1", "window.x"])
        values = {one: dice.choice([shown(dice), shown(dice), dice.choice(VALUES), {"throws": True}]) for one in LOCATORS}
        page = {"content": f"<html>{shown(dice)}</html>", "values": values, "members": dice.choice([["@ada"], ["@bob", "@ada"], ["@bob"], []]),
                "roles": dice.choice([["Owner"], ["Guest", "Developer"], []])}
        said = [one for one in [page["content"], *values.values(), "Developer", "Ada L", "80"] if isinstance(one, str) and one]
        name = dice.choice(["exact_match", "must_include", "must_include", "must_exclude", "required_values", "fuzzy_match", "other"])
        picked = dice.choice(said)
        part = picked[dice.randrange(len(picked)):][:dice.choice([1, 3, 8])] or picked
        parts = [dice.choice([part, picked, word(dice), part + OR + word(dice)]) for _ in range(dice.choice([1, 2]))]
        wanted = {"exact_match": dice.choice([picked, word(dice)]), "required_values": [bound(dice)], "other": "x"}.get(name, parts)
        target = {"url": place, "locator": locator, "required_contents": {name: wanted}}
        if dice.random() < 0.1:
            target["prep_actions"] = ["document.querySelector('#a').click()"]
        targets.append(target)
        for at in [*places, SHOP + "/sales/order/view/order_id/7/"]:
            pages.setdefault(at, page)
    order = dice.choice([[{"increment_id": "000000007"}], [{"increment_id": "7"}], []])
    reviews = dice.choice([[], [{"nickname": "Ada L", "ratings": [{"rating_name": "Rating", "percent": 80}]}],
                           [{"nickname": "x", "ratings": [{"rating_name": "Rating", "percent": 20}]},
                            {"nickname": "Ada L", "ratings": [{"rating_name": "Rating", "percent": 100}]}],
                           [{"nickname": "x", "ratings": [{"rating_name": "Price", "percent": 20}]}]])
    of = task(["program_html"], program_html=targets)
    return case(rules, of, at=start, pages=pages, replies=[dice.choice(REPLIES)] * 9, orders=order, reviews=reviews)


def several(rules, dice):
    """Of more than one kind."""
    one, two = strings(rules, dice), dice.choice([urls, html])(rules, dice)
    kinds = one["task"]["eval"]["eval_types"] + two["task"]["eval"]["eval_types"]
    if dice.random() < 0.3:
        kinds.reverse()
    two["task"]["eval"] |= {"eval_types": kinds, "reference_answers": one["task"]["eval"]["reference_answers"],
                            "string_note": "There is no such thing."}
    return two | {"answer": one["answer"], "replies": one["replies"]}


PARTS = {"strings": (strings, 900), "urls": (urls, 350), "html": (html, 500), "several": (several, 150)}


def make(rules, part):
    """The cases of a part, the same at each run."""
    maker, count = PARTS[part]
    dice = random.Random(f"{rules} {part}")
    return [maker(rules, dice) for _ in range(count)]
