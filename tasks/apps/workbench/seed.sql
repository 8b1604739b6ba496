{#- The office of an instance: what was drawn for it, then what its task says. -#}
{%- set w = workbench -%}
{%- set statuses = ["New", "In work", "Waiting", "Delivered", "Invoiced"] -%}
{%- set lanes = ["Waiting", "In work", "Finished"] -%}
{%- set rooms = ["Workshop", "Office", "Showroom", "On site"] -%}
{%- set roles = ["Joiner", "Joiner", "Apprentice", "Office", "Joiner", "Fitter", "Fitter", "Apprentice"] -%}
{%- set extra = state.orders | default([]) -%}
{% for name in w.people -%}
INSERT INTO people (name, role) VALUES ({{ name | sql }}, {{ roles[loop.index0] | sql }});
{% endfor -%}
{% for n in w.order -%}
{%- set i = loop.index0 -%}
INSERT INTO orders VALUES ('O-{{ 1001 + i * 2 }}', {{ w.customers[(n * 3 + i) % 10] | sql }}, {{ w.wares[(n + i * 5) % 12] | sql }}, {{ 1 + (n * 7 + i) % 19 }}, {{ 40 + (n * 37 + i * 11) % 460 }}, {{ statuses[(n + i) % 5] | sql }}, '2026-{{ "%02d" | format(3 + (n % 4)) }}-{{ "%02d" | format(1 + (n * 5 + i * 3) % 28) }}');
{% endfor -%}
{% for o in extra -%}
INSERT INTO orders VALUES ({{ o.number | sql }}, {{ o.customer | default(w.customers[loop.index0 % 10]) | sql }}, {{ o.item | default(w.wares[loop.index0 % 12]) | sql }}, {{ o.quantity | default(4) | int }}, {{ o.price | default(100) | int }}, {{ o.status | default("New") | sql }}, {{ o.due | default("2026-04-10") | sql }});
{% endfor -%}
{% for title in w.jobs -%}
{%- set i = loop.index0 -%}
INSERT INTO cards (title, lane, owner, due) VALUES ({{ title | sql }}, {{ lanes[[0, 1, 0, 2, 2, 0, 1, 2, 0, 1, 2, 0][i]] | sql }}, {{ w.people[(w.order[i] + i) % 8] | sql }}, '2026-03-{{ "%02d" | format(2 + (w.order[i] * 5 + i) % 26) }}');
{% endfor -%}
{% for c in state.cards | default([]) -%}
INSERT INTO cards (title, lane, owner, due) VALUES ({{ c.title | sql }}, {{ c.lane | default("In work") | sql }}, {{ c.owner | default(w.people[0]) | sql }}, {{ c.due | default("2026-03-12") | sql }});
{% endfor -%}
{% for title in w.meetings -%}
{%- set i = loop.index0 -%}
{%- set at = 8 + (w.order[i + 3] * 3 + i) % 8 -%}
INSERT INTO appointments (title, day, starts, ends, room) VALUES ({{ title | sql }}, '2026-03-{{ "%02d" | format(2 + i * 3 + w.order[i] % 3) }}', '{{ "%02d" | format(at) }}:00', '{{ "%02d" | format(at + 1) }}:30', {{ rooms[(w.order[i] + i) % 4] | sql }});
{% endfor -%}
{% for a in state.appointments | default([]) -%}
INSERT INTO appointments (title, day, starts, ends, room) VALUES ({{ a.title | sql }}, {{ a.day | sql }}, {{ a.starts | default("09:00") | sql }}, {{ a.ends | default("10:00") | sql }}, {{ a.room | default("Office") | sql }});
{% endfor -%}
{% for n in [{"title": "Ideas for the open day", "lines": ["Show the old band saw.", "Let children drive nails.", "Coffee from the bakery."]}, {"title": "Suppliers", "lines": ["Boards: " ~ w.customers[8] ~ ".", "Glue and screws: the shop at the bridge.", "Glass: call before ten."]}] + (state.notes | default([])) -%}
INSERT INTO notes (title, body) VALUES ({{ n.title | sql }}, {{ [{"insert": (n.lines | join("\n")) ~ "\n"}] | tojson | sql }});
{% endfor -%}
{% for i in range(5) -%}
{%- set first = 2 + (w.order[i] * 3 + i * 5) % 20 -%}
INSERT INTO leave (person, kind, first, last, remark) VALUES ({{ w.people[(i * 3 + 1) % 8] | sql }}, {{ ["Holiday", "Course", "Holiday", "Unpaid", "Holiday"][i] | sql }}, '2026-{{ "%02d" | format(3 + i % 3) }}-{{ "%02d" | format(first) }}', '2026-{{ "%02d" | format(3 + i % 3) }}-{{ "%02d" | format(first + 1 + w.order[i + 5] % 6) }}', '');
{% endfor -%}
{% for l in state.leave | default([]) -%}
INSERT INTO leave (person, kind, first, last, remark) VALUES ({{ l.person | sql }}, {{ l.kind | default("Holiday") | sql }}, {{ l.first | sql }}, {{ l.last | sql }}, '');
{% endfor -%}
{% for i in range(4) -%}
INSERT INTO documents (order_number, kind, file, content) VALUES ('O-{{ 1001 + (w.order[i + 8] * 2) }}', {{ ["Drawing", "Offer", "Delivery note", "Offer"][i] | sql }}, {{ ["drawing-old.txt", "offer-7.txt", "delivery.txt", "offer-8.txt"][i] | sql }}, 'Kept from last year.');
{% endfor -%}
INSERT INTO settings VALUES
  ('company', 'Weber & Holt Joinery'), ('footer', 'Made of wood, made to last'), ('vat', '19'), ('payment_days', '14'), ('reminder', 'After 7 days'), ('newsletter', 'off'), ('low_stock', 'on');
{% for p in [
  {"title": "Orders", "text": "Quantities, prices, states and due days are changed in the list of orders by a double click. An order that is invoiced is locked: nobody can change it any more, and no new order is written in its place."},
  {"title": "Visitors", "text": "Visitors sign in at the office. In the workshop they wear glasses and keep to the yellow line."},
] + (state.handbook | default([])) -%}
INSERT INTO handbook (title, text) VALUES ({{ p.title | sql }}, {{ p.text | sql }});
{% endfor -%}
