def solve(frames):
    near = lambda w, h: min(frames, key=lambda f: abs(f.size[0] - w) + abs(f.size[1] - h))
    def nearest(get, x, y):
        found = []
        for n in range(1, 200):
            try:
                found.append(get(n))
            except IndexError:
                pass
        return min(found, key=lambda p: abs(p.x - x) + abs(p.y - y))
    upright = near(100, 300)
    stops = slide_y(upright.get_interactable(0), 'down', upright)
    low = min(stops, key=lambda s: abs(s.position - 150))
    min(low.refine(), key=lambda s: abs(s.position - 150)).release()
    board = near(320, 200)
    shown = board.show_keypoints('all')
    marked = mark([shown], 'the ring')
    if marked[0].size != shown.size or marked[0].diff(shown) == 0:
        raise ValueError('nothing was marked')
    parts = focus(board.image, 'the ring')
    if len(parts) != 1 or parts[0].height <= 200:
        raise ValueError(f'focus: {len(parts)} {parts[0].size}')
    ring = (200 + 240, 40 + 100)
    spot = nearest(lambda n: board.get_keypoint(n), *ring)
    closer = spot.show_neighbours()
    if ask([closer], 'Which number?', 'int') != [1]:
        raise ValueError('ask')
    exact = nearest(lambda n: spot.get_neighbour(n), *ring)
    choices = drag(board.get_interactable(0), exact)
    previews = [c.preview for c in choices]
    if previews[0].diff(previews[1]) == 0:
        raise ValueError('all previews are the same')
    choices[rank(previews, 'the piece lies on the ring')[0]].drop()
    grid = near(220, 220)
    before = grid.image
    swaps = explore(grid)
    if len(swaps) != 6 or min([s.preview.diff(before) for s in swaps]) == 0:
        raise ValueError('a preview shows no exchange')
    chosen = swaps[0].preview
    swaps[0].swap()
    if grid.image.diff(chosen) > 0.01:
        raise ValueError('the preview was another than what came')
