def solve(frames):
    near = lambda x, y: min(frames[1:], key=lambda f: abs(f.x - x) + abs(f.y - y))
    one, two = near(400, 70).get_interactable(0), near(400, 170).get_interactable(0)
    stops = slide_x(one, 'right', near(90, 90))
    if len(stops) < 20:
        raise ValueError(f'{len(stops)} stops')
    rank(([s.image for s in stops] * 2)[:36], 'the darkest')
    min(stops, key=lambda s: abs(s.position - 74)).release()
    stops = slide_x(two, 'right', frames[0])
    stops[-1].release()
    for n in range(120):
        frames[0].image
    dial = near(770, 150)
    stops = turn(dial.get_interactable(0), 'clockwise', dial, dial)
    close = min(stops, key=lambda s: abs(s.position - 90)).refine()
    min(close, key=lambda s: abs(s.position - 97)).release()
