def structure_abstraction(frames):
    near = lambda w, h: min(frames, key=lambda f: abs(f.size[0] - w) + abs(f.size[1] - h))
    panel = near(500, 90)
    panel.get_element('left', 'a handle 30x30').set_element_as('SLIDEABLE_X')
    panel.get_element('right', 'a handle 30x30').set_element_as('SLIDEABLE_X')


def solve(frames):
    near = lambda w, h: min(frames, key=lambda f: abs(f.size[0] - w) + abs(f.size[1] - h))
    panel = near(500, 90)
    for n, way, wanted in ((0, 'right', 100), (1, 'left', 150)):
        stops = slide_x(panel.get_interactable(n), way, panel)
        close = min(stops, key=lambda s: abs(s.position - wanted)).refine()
        min(close, key=lambda s: abs(s.position - wanted)).release()
