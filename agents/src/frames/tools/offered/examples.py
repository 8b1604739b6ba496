## Slide
def solve(frames):
    dial = frames[1].get_interactable(0)
    stops = slide_x(dial, 'right', frames[0])
    best = rank([s.image for s in stops], 'the needle is nearest to the mark')[0]
    close = stops[best].refine()
    best = rank([s.image for s in close], 'the needle is nearest to the mark')[0]
    close[best].release()

## Turn
def solve(frames):
    dial = frames[1].get_interactable(0)
    stops = turn(dial, 'clockwise', frames[0])
    shown = ask([s.image for s in stops], 'Which number does the display show?', 'int')
    wanted = ask([frames[2].image], 'Which number has to be set?', 'int')[0]
    best = min(range(len(stops)), key=lambda n: abs(shown[n] - wanted))
    close = stops[best].refine()
    shown = ask([s.image for s in close], 'Which number does the display show?', 'int')
    close[min(range(len(close)), key=lambda n: abs(shown[n] - wanted))].release()

## Drag
def solve(frames):
    card = frames[0].get_interactable(0)
    shown = frames[0].show_keypoints('all')
    spot = frames[0].get_keypoint(ask([shown], 'Which number lies on the empty place that the card belongs to?', 'int')[0])
    choices = drag(card, spot)
    best = rank([c.preview for c in choices], 'the card fills its place with no gap')[0]
    choices[best].drop()

## Cycle
def solve(frames):
    back = frames[1].get_interactable(0)
    ahead = frames[1].get_interactable(1)
    choices = get_all_choices(back, ahead, frames[0])
    fits = compare([c.image for c in choices], 'the lamp is lit as the text of the page says')
    if True not in fits:
        raise ValueError('no choice fits')
    choices[fits.index(True)].select()

## Select
def solve(frames):
    choices = [f for f in frames if f.interactable == 'SELECTABLE']
    fits = ask([c.image for c in choices], 'Does it show what the text of the page asks for?', 'bool')
    for choice, fit in zip(choices, fits):
        if fit:
            select(choice)

## Swap
def solve(frames):
    choices = explore(frames[0])
    best = rank([c.preview for c in choices], 'all tiles lie where the objective wants them')[0]
    choices[best].swap()

## Point
def solve(frames):
    shown = frames[0].show_keypoints('all')
    near = frames[0].get_keypoint(ask([shown], 'Which number lies on the thing that is described?', 'int')[0])
    closer = near.show_neighbours()
    point(near.get_neighbour(ask([closer], 'Which number is nearest to its middle?', 'int')[0]))

## Draw
def solve(frames):
    shown = frames[0].show_keypoints('all')
    numbers = ask([shown], 'Which numbers does the line pass, from its beginning to its end? Write them with commas.', 'str')[0]
    draw([frames[0].get_keypoint(int(n)) for n in numbers.split(',')])

## Enter
def solve(frames):
    text = ask([frames[0].image], 'What has to be typed, letter by letter?', 'str')[0]
    enter(frames[1], text)
