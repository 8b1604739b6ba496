{#- The tracker of an instance: what was drawn for it, then what its task says. -#}
{%- set people = trac.people -%}
{%- set milestones = ["Spring refit", "Summer season", "Autumn survey", "Winter lay-up"] -%}
{%- set components = ["Boats", "Buildings", "Cranes", "Ticketing", "Website"] -%}
{%- set priorities = ["blocker", "critical", "major", "minor", "trivial"] -%}
{%- set types = ["defect", "enhancement", "task"] -%}
{%- macro ticket(id, t, at) -%}
INSERT INTO ticket (id, type, time, changetime, component, severity, priority, owner, reporter, cc, version, milestone, status, resolution, summary, description, keywords)
VALUES ({{ id }}, {{ t.type | default("defect") | sql }}, {{ at }}, {{ at }}, {{ t.component | default("Buildings") | sql }}, '', {{ t.priority | default("major") | sql }}, {{ t.owner | default(people[0]) | sql }}, {{ t.reporter | default(people[1]) | sql }}, '', '', {{ t.milestone | default("") | sql }}, {{ t.status | default("new") | sql }}, {{ ("fixed" if t.status | default("new") == "closed" else "") | sql }}, {{ t.summary | sql }}, {{ t.text | default("") | sql }}, '');
{% endmacro -%}
DELETE FROM milestone;
DELETE FROM component;
DELETE FROM version;
DELETE FROM report WHERE id > 7;
DELETE FROM permission WHERE username <> 'robin';
INSERT INTO permission VALUES ('robin', 'TRAC_ADMIN');
{% for name in people -%}
INSERT INTO permission VALUES ({{ name | sql }}, 'TICKET_MODIFY');
INSERT INTO session VALUES ({{ name | sql }}, 1, 1772000000);
{% endfor -%}
INSERT INTO session VALUES ('robin', 1, 1772000000);
{% for name in milestones -%}
INSERT INTO milestone VALUES ({{ name | sql }}, {{ 1780000000000000 + loop.index * 7000000000000 }}, 0, '');
{% endfor -%}
{% for name in state.milestones | default([]) -%}
INSERT INTO milestone VALUES ({{ name | sql }}, 0, 0, '');
{% endfor -%}
{% for name in components -%}
INSERT INTO component VALUES ({{ name | sql }}, {{ people[loop.index] | sql }}, '');
{% endfor -%}
{% set extra = state.tickets | default([]) -%}
{% for t in trac.tickets -%}
{%- set n = trac.order[loop.index0] -%}
{%- set id = loop.index + extra | length -%}
{%- set at = 1771000000000000 + loop.index * 86400000000 -%}
{{ ticket(id, {
  "summary": t.summary, "text": t.text, "type": types[n % 3], "component": components[(n * 3 + loop.index) % 5],
  "priority": priorities[(n + loop.index * 2) % 5], "owner": people[2 + (n * 5 + loop.index) % 6], "reporter": people[(n + loop.index) % 6],
  "milestone": milestones[n % 4], "status": "closed" if n % 4 == 3 and n % 8 == 3 else "new",
}, at) }}
{%- endfor -%}
{% for t in extra -%}
{{ ticket(loop.index, t, 1770000000000000 + loop.index * 3600000000) }}
{%- endfor -%}
{% for page in state.pages | default([]) -%}
INSERT INTO wiki (name, version, time, author, text, comment, readonly) VALUES ({{ page.name | sql }}, 1, 1770000000000000, {{ people[1] | sql }}, {{ page.text | sql }}, '', 0);
{% endfor -%}
{% set start -%}
= Harbour Works =

Tickets and notes of the workshop.

 * [/roadmap Roadmap]
 * [/report Reports]
 * [/newticket New ticket]
{% for page in state.pages | default([]) %} * [wiki:{{ page.name }}]
{% endfor %}
{%- endset -%}
UPDATE wiki SET text = {{ start | sql }}, author = 'robin' WHERE name = 'WikiStart';
