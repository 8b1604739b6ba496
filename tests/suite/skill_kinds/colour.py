def structure_abstraction(frames):
    near = lambda w, h: min(frames, key=lambda f: abs(f.size[0] - w) + abs(f.size[1] - h))
    near(240, 240).set_frame_as('POINTABLE')
    near(60, 240).get_element('up', 'a handle 40x20').set_element_as('SLIDEABLE_Y')


def solve(frames):
    near = lambda w, h: min(frames, key=lambda f: abs(f.size[0] - w) + abs(f.size[1] - h))
    bar = near(60, 240)
    stops = slide_y(bar.get_interactable(0), 'down', bar)
    min(stops, key=lambda s: abs(s.position - 100)).release()
    field = near(240, 240)
    field.show_keypoints('all')
    found = []
    for n in range(1, 200):
        try:
            found.append(field.get_keypoint(n))
        except IndexError:
            pass
    point(min(found, key=lambda p: abs(p.x - field.x) + abs(p.y - field.y)))
