CREATE TABLE todos (
  id serial PRIMARY KEY,
  description varchar(100) NOT NULL,
  done boolean NOT NULL DEFAULT false,
  due date
);
-- Updates and deletes then carry the whole old row, not its key alone.
ALTER TABLE todos REPLICA IDENTITY FULL;

INSERT INTO todos (description, due) VALUES ('water the plants', '2030-01-01'), ('read the manual', NULL);
