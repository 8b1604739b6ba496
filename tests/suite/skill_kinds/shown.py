def structure_abstraction(frames):
    near = lambda w, h: min(frames, key=lambda f: abs(f.size[0] - w) + abs(f.size[1] - h))
    frames[0].get_element('left', 'an arrow 36x36').set_element_as('CLICKABLE')
    frames[0].get_element('right', 'an arrow 36x36').set_element_as('CLICKABLE')


def solve(frames):
    near = lambda w, h: min(frames, key=lambda f: abs(f.size[0] - w) + abs(f.size[1] - h))
    choices = get_all_choices(frames[0].get_interactable(0), frames[0].get_interactable(1), near(200, 120))
    if len(choices) != 4:
        raise ValueError(f'{len(choices)} choices')
    choices[2].select()
