def solve(frames):
    dial = of_kind(frames, 'TURNABLE')[0]
    board = home(frames, dial)
    place = ask([board.image], 'Where does the mark have to point? Write x,y in pixels of this image. @tag@', 'str')[0]
    x, y = on_page(board, place)
    wanted = math.degrees(math.atan2(x - dial.x, dial.y - y)) % 360
    stops = turn(dial, 'clockwise', board)
    stops = min(stops, key=lambda s: abs(s.position - wanted)).refine()
    min(stops, key=lambda s: abs(s.position - wanted)).release()
    finish(frames)
