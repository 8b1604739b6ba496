{#- The plan of an instance: four areas with their names, and a thing in each. -#}
{%- set w = excalidraw -%}
{%- set xs = [250, 740, 250, 740] -%}
{%- set ys = [90, 90, 420, 420] -%}
{%- macro el(id, n, kind, x, y, width, height, more) -%}
INSERT INTO raw VALUES ({{ id | sql }}, {{ n }}, {{ ('{"id": "' ~ id ~ '", "type": "' ~ kind ~ '", "x": ' ~ x ~ ', "y": ' ~ y ~ ', "width": ' ~ width ~ ', "height": ' ~ height ~ ', "angle": 0, "strokeColor": "#1e1e1e", "fillStyle": "solid", "strokeWidth": 2, "strokeStyle": "solid", "roughness": 0, "opacity": 100, "groupIds": [], "frameId": null, "roundness": null, "seed": ' ~ (n + 7) ~ ', "version": 1, "versionNonce": ' ~ (n + 70) ~ ', "isDeleted": false, "boundElements": [], "updated": 1, "link": null, ' ~ more ~ '}') | sql }});
{%- endmacro -%}
{%- macro text(id, n, what, x, y, size, locked) -%}
{{ el(id, n, "text", x, y, (what | length) * size * 0.6, size * 1.25, '"backgroundColor": "transparent", "locked": ' ~ locked ~ ', "text": ' ~ (what | tojson) ~ ', "originalText": ' ~ (what | tojson) ~ ', "fontSize": ' ~ size ~ ', "fontFamily": 2, "textAlign": "left", "verticalAlign": "top", "baseline": ' ~ size ~ ', "containerId": null, "lineHeight": 1.15') }}
{%- endmacro -%}
{% for area in w.areas -%}
{{ el("a" ~ loop.index, loop.index0, "rectangle", xs[loop.index0], ys[loop.index0], 470, 310, '"backgroundColor": "#f1f3f5", "locked": true, "customData": {"area": "' ~ area ~ '"}') }}
{{ text("n" ~ loop.index, 10 + loop.index0, area, xs[loop.index0] + 12, ys[loop.index0] + 10, 20, "true") }}
{% endfor -%}
{% for thing in w.things -%}
{%- set i = (loop.index0 + w.turn) % 4 -%}
{{ el("t" ~ loop.index, 20 + loop.index0, ["rectangle", "ellipse", "diamond", "rectangle"][loop.index0], xs[i] + 300, ys[i] + 40, 120, 80, '"backgroundColor": "#a5d8ff", "locked": false') }}
{{ text("s" ~ loop.index, 30 + loop.index0, thing, xs[i] + 335, ys[i] + 130, 16, "false") }}
{% endfor -%}
{% for t in state.texts | default([]) -%}
{{ text("x" ~ loop.index, 40 + loop.index0, t.text, xs[t.area | int] + 20, ys[t.area | int] + 240, 16, "false") }}
{% endfor -%}
