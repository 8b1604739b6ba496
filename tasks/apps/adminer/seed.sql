{#- The stock of an instance: what was drawn for it, then the rows of its task. -#}
{%- set app = adminer -%}
{%- set items = state.items | default([]) -%}
{% for s in app.suppliers -%}
INSERT INTO supplier (name, town, phone) VALUES ({{ s.name | sql }}, {{ s.town | sql }}, {{ ("555-01" ~ (10 + loop.index * 7)) | sql }});
{% endfor -%}
{% for name in app.names -%}
{% for item in items if item.at | default(0) | string == loop.index | string -%}
INSERT INTO item (name, shelf, pieces, price) VALUES ({{ item.name | sql }}, {{ item.shelf | sql }}, {{ item.pieces | int }}, {{ item.price | int }});
{% endfor -%}
INSERT INTO item (name, shelf, pieces, price) VALUES ({{ name | sql }}, {{ app.shelves[loop.index0 % 4] | sql }}, {{ app.pieces[loop.index0] }}, {{ app.prices[loop.index0] }});
{% endfor -%}
{% for item in items if item.at | default(0) | string == "13" -%}
INSERT INTO item (name, shelf, pieces, price) VALUES ({{ item.name | sql }}, {{ item.shelf | sql }}, {{ item.pieces | int }}, {{ item.price | int }});
{% endfor -%}
{% for n in range(8) -%}
INSERT INTO delivery (item, supplier, day, pieces) VALUES ({{ (n * 5) % 12 + 1 }}, {{ n % 4 + 1 }}, '2026-0{{ n % 3 + 1 }}-1{{ n }}', {{ app.pieces[n] }});
{% endfor -%}
INSERT INTO note (about, text) VALUES ('counting', 'Everything is counted once a year, in January.');
INSERT INTO note (about, text) VALUES ('shelves', 'A is by the door, D at the back.');
{% for note in state.notes | default([]) -%}
INSERT INTO note (about, text) VALUES ({{ note.about | sql }}, {{ note.text | sql }});
{% endfor -%}
