CREATE TABLE raw (id TEXT PRIMARY KEY, place INTEGER NOT NULL, data TEXT NOT NULL);
CREATE TABLE elements (id TEXT PRIMARY KEY, kind TEXT, area TEXT, text TEXT, belongs_to TEXT, from_area TEXT, to_area TEXT, x INTEGER, y INTEGER, width INTEGER, height INTEGER,
  stroke TEXT, background TEXT, fill TEXT, line TEXT, thickness REAL, opacity INTEGER, font_size REAL, locked TEXT);
CREATE TABLE canvas (name TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO canvas VALUES ('background', '#ffffff');
