"""Tables as the data of a parallel job: an MLTable file says which files hold the data, and how
their rows are read. The text of mini_batches.py comes behind this one.

Source: the schema in PyPI's package mltable, and what its to_pandas_dataframe() makes.
"""

import glob
import io
import json
import os
import re
import time
import warnings

HEADERS = ("all_files_same_headers", "all_files_different_headers", "from_first_file", "no_header")
ENCODINGS = {"utf8": "utf-8", "utf8 bom": "utf-8-sig", "utf8bom": "utf-8-sig",
             "iso88591": "latin-1", "latin1": "latin-1", "windows1252": "cp1252",
             "windows-1252": "cp1252", "utf16": "utf-16"}
# Its options, with their defaults; of others the rows would be wrong.
READERS = {
    "read_delimited": {"delimiter": ",", "header": HEADERS[0], "support_multi_line": False,
                       "empty_as_string": False, "encoding": "utf8", "include_path_column": False,
                       "infer_column_types": True},
    "read_json_lines": {"encoding": "utf8", "include_path_column": False},
    "read_parquet": {"include_path_column": False},
}
CHOOSERS = ("keep_columns", "drop_columns")
FROM_PATHS = "extract_columns_from_partition_format"


def files_of(path):
    if not os.path.exists(path):
        raise SystemExit(f"there is no {path}")
    if os.path.isfile(path):
        return [path]
    files = []
    for folder, folders, names in os.walk(path):
        folders.sort()
        files += [os.path.join(folder, name) for name in sorted(names)]
    return files


def tree_of(text, path):
    """Of YAML; JSON needs no package."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        import yaml
    except ImportError:
        raise SystemExit(f"reading {path} needs PyYAML on this host: pip install pyyaml") from None
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise SystemExit(f"{path}: {error}") from None


def table_in(folder):
    """What the MLTable file in a folder says, and its path."""
    path = os.path.join(folder, "MLTable")
    if not os.path.isfile(path):
        raise SystemExit(f"there is no {path}, which an input of type mltable needs")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    said = tree_of(text, path)
    if not isinstance(said, dict) or not isinstance(said.get("paths"), list):
        raise SystemExit(f"{path}: it must be a map with a list of paths")
    return said, path


def listed_files(folder, said, path):
    files = []
    for one in said["paths"]:
        kind, place = next(iter(one.items())) if isinstance(one, dict) and one else ("", "")
        place = str(place).removeprefix("file://")
        if kind not in ("file", "folder", "pattern") or "://" in place:
            raise SystemExit(f"{path}: only files, folders and patterns of this host can be read, "
                             f"not {one}")
        place = os.path.normpath(os.path.join(folder, place))
        if kind == "pattern":
            files += sorted(file for file in glob.glob(place, recursive=True)
                            if os.path.isfile(file))
        else:
            files += files_of(place)
    return [file for file in files if not os.path.samefile(file, path)]


def reader_of(said, path):
    """How rows are read, and which columns stay; None: nothing says so, and files are the data."""
    reader = None
    for one in said.get("transformations") or []:
        name, options = next(iter(one.items())) if isinstance(one, dict) and one else (one, {})
        if name in READERS and reader is None:
            unknown = sorted(set(options or {}) - set(READERS[name]))
            if unknown:
                raise SystemExit(f"{path}: muster cannot follow {unknown[0]} of {name}")
            reader = {"how": name, "columns": [], **READERS[name], **(options or {})}
        elif name in (*CHOOSERS, FROM_PATHS) and reader is None:
            raise SystemExit(f"{path}: {name} must come after one of {', '.join(READERS)}")
        elif name == FROM_PATHS:
            reader["columns"].append([name, format_said(options, path)])
        elif name in CHOOSERS:
            names = [options] if isinstance(options, str) else list(options)
            reader["columns"].append([name, names])
        else:
            raise SystemExit(f"{path}: muster cannot follow the transformation {name}; it knows "
                             f"{', '.join((*READERS, *CHOOSERS, FROM_PATHS))}")
    if reader is not None and reader.get("header", HEADERS[0]) not in HEADERS:
        raise SystemExit(f"{path}: the header must be one of {', '.join(HEADERS)}")
    return reader


# Of a format such as "/{shop}/{day:yyyy/MM/dd}/data.csv": which columns the paths of files say.
DATES = {"yyyy": (r"\d{4}", "%Y"), "MM": (r"\d\d", "%m"), "dd": (r"\d\d", "%d"),
         "HH": (r"\d\d", "%H"), "mm": (r"\d\d", "%M"), "ss": (r"\d\d", "%S")}


def format_said(options, path):
    """A text, or a map that has it. Without quotes, {day:yyyy} alone is a map of YAML."""
    said = options
    if isinstance(options, dict):
        alone = len(options) == 1 and list(options.values()) == [None]
        said = "{%s}" % next(iter(options)) if alone else options.get("partition_format")
        unknown = [] if alone else sorted(set(options) - {"partition_format"})
        if unknown:
            raise SystemExit(f"{path}: muster cannot follow {unknown[0]} of {FROM_PATHS}")
    if not isinstance(said, str) or not re.search(r"\{[^{}]+\}", said):
        raise SystemExit(f"{path}: {FROM_PATHS} needs a format such as "
                         "'/{shop}/{day:yyyy/MM/dd}/data.csv'")
    return said


def date_in(letters):
    """The pattern of such a part of a path, and how its time is read."""
    parts = re.split("(" + "|".join(DATES) + ")", letters)
    known = [DATES.get(part, (re.escape(part), part.replace("%", "%%"))) for part in parts]
    return "".join(one for one, _ in known), "".join(one for _, one in known)


def columns_in(said):
    """Patterns of such paths, the better one first, and each column's name and format of times.
    The format begins at the first column, and a path may go on behind it."""
    pattern, columns = "", []
    for number, part in enumerate(re.split(r"\{([^{}]+)\}", said)):
        if number % 2 == 0:
            pattern += re.escape(part).replace(r"\*", "[^/]*")
            continue
        name, _, letters = part.partition(":")
        found, times = date_in(letters) if letters else ("[^/]+", "")
        pattern += f"({found})"
        if name.strip() in dict(columns):
            raise SystemExit(f"the partition format {said} names the column {name.strip()} twice")
        columns.append((name.strip(), times))
    begin = "(?:.*/)?" if said[0] in "{*" else ".*"
    return [begin + pattern, begin + pattern + "/.*"], columns


def values_in(path, said):
    """Of the columns, by their names: a text, or a time."""
    patterns, columns = columns_in(said)
    found = next(filter(None, (re.fullmatch(one, path) for one in patterns)), None)
    try:
        if found:
            return {name: time.strptime(text, times) if times else text
                    for (name, times), text in zip(columns, found.groups())}
    except ValueError:  # a day such as 2024/02/31
        pass
    raise SystemExit(f"{path} does not fit the partition format {said}")


def with_path_columns(frame, origins, said):
    """In front, behind that of whole paths; `origins` are files, and how many rows each has."""
    import pandas
    at = 1 if list(frame.columns[:1]) == ["Path"] else 0
    of_files = [values_in(path, said) for path, _ in origins]
    for number, name in enumerate(of_files[0]):
        if name in frame.columns:
            raise SystemExit(f"{origins[0][0]} has a column {name}, which its path says as well: "
                             f"give that of the partition format {said} another name")
        values = [pandas.Timestamp(*one[name][:6]) if isinstance(one[name], tuple) else one[name]
                  for one in of_files]
        frame.insert(at + number, name, [value for value, (_, rows) in zip(values, origins)
                                         for _ in range(rows)])
    return frame


def encoding_of(reader):
    return ENCODINGS.get(reader["encoding"], reader["encoding"])


def pieces_of(files, reader, most):
    """Parts of about so many bytes: file, where it begins and ends, and the header it lacks.
    Lines stay whole; where a row may have several, or cannot be told from bytes, files do."""
    delimited = reader["how"] == "read_delimited"
    may_cut = delimited and not reader["support_multi_line"] and "16" not in encoding_of(reader)
    first = None
    for path in files:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if not may_cut:
                header = first if delimited and reader["header"] == "from_first_file" else None
                first = first or path
                yield [path, 0, size, header]
                continue
            has_own = reader["header"].startswith("all_files") or (
                reader["header"] == "from_first_file" and first is None)
            first = first or path
            if has_own:
                file.readline()
            has_any = reader["header"] != "no_header"
            header = (path if has_own else first) if has_any else None
            begin = file.tell()
            while begin < size:
                pass_rows(file, most)
                yield [path, begin, file.tell(), header]
                begin = file.tell()


def pass_rows(file, most):
    """To the end of the row at about so many bytes: a line within quotes does not end one."""
    quotes, left = 0, most
    while left > 0:
        part = file.read(min(left, 1 << 20))
        if not part:
            return
        quotes += part.count(b'"')
        left -= len(part)
    while True:
        line = file.readline()
        quotes += line.count(b'"')
        if not line or quotes % 2 == 0:
            return


WHOLE = ("int64", "uint64")


def types_of(pieces, reader):
    """Of the columns, as all rows have them: a batch may lack what others have in a column.
    Those of which nothing is said are as the batch itself has them."""
    import pandas
    if reader["how"] == "read_parquet" or not reader.get("infer_column_types", True):
        return {}
    seen, found, gaps = {}, {}, set()
    for path, begin, end, header in pieces:
        frame = rows_in(pandas, path, begin, end, header, reader, True)
        for name in frame.columns:
            seen[name] = seen.get(name, 0) + 1
            values = frame[name].dropna()
            if len(values) < len(frame):
                gaps.add(name)
            if len(values):  # one that has none is a float of pandas
                found.setdefault(name, set()).add(str(values.infer_objects().dtype))
    gaps |= {name for name, count in seen.items() if count < len(pieces)}
    types = {}
    for name, kinds in found.items():
        only = min(kinds) if len(kinds) == 1 else ""
        if only in WHOLE and name not in gaps:
            types[name] = only
        elif kinds <= {*WHOLE, "float64"}:
            types[name] = "float64"
        elif only != "bool":  # else only text holds all of them
            types[name] = "str"
    return types


def typed_frame(frame, types):
    """Of JSON, whose text says what a value is: only numbers become others."""
    numbers = {name: kind for name, kind in types.items()
               if name in frame.columns and kind == "float64"}
    return frame.astype(numbers)


def keys_in(frame, names):
    """Of each row, the values of these columns as texts; of one that has none, nothing."""
    import pandas
    columns = [frame[name].map(lambda value: "" if pandas.isna(value) else f"={value}")
               for name in names]
    return [list(row) for row in zip(*columns)]


def partitions_of(pieces, reader):
    """A batch for each combination of the values of the partition keys: the pieces that have rows
    of it, each with its values. All rows are read once for that."""
    batches = {}
    for piece in pieces:
        frame = frame_of([piece], reader)
        for name in reader["keys"]:
            if name not in frame.columns:
                raise SystemExit(f"partition_keys: the table has no column {name}; it has "
                                 f"{', '.join(map(str, frame.columns))}")
        for key in dict.fromkeys(map(tuple, keys_in(frame, reader["keys"]))):
            batches.setdefault(key, []).append([*piece, list(key)])
    return list(batches.values())


def partition_of(pieces, reader):
    """The rows of one such batch."""
    import pandas
    frames = []
    for *piece, key in pieces:
        frame = frame_of([piece], reader)
        frames.append(frame[[own == key for own in keys_in(frame, reader["keys"])]])
    return pandas.concat(frames, ignore_index=True)


def partition_value(frame, names):
    """The values that all rows of such a batch have, by the names of their columns."""
    values = {name: frame[name].iloc[0] for name in names}
    return {name: value.item() if hasattr(value, "item") else value
            for name, value in values.items()}


def frame_of(pieces, reader):
    import pandas
    frames, origins = [], []
    for path, begin, end, header in pieces:
        frame = rows_in(pandas, path, begin, end, header, reader, False)
        if reader["include_path_column"]:
            frame.insert(0, "Path", path)
        frames.append(frame)
        origins.append((path, len(frame)))
    frame = frames[0] if len(frames) == 1 else pandas.concat(frames, ignore_index=True)
    if reader.get("infer_column_types"):  # from all rows, not from each file's
        text = io.StringIO(frame.to_csv(index=False))
        frame = pandas.read_csv(text, dtype=reader["types"], **empty_fields(reader))
    if reader["how"] == "read_json_lines":
        frame = typed_frame(frame, reader["types"])
    for what, names in reader["columns"]:
        if what == FROM_PATHS:
            frame = with_path_columns(frame, origins, names)
        else:
            frame = frame[names] if what == "keep_columns" else frame.drop(columns=names)
    return frame


def empty_fields(reader):
    """Nothing but an empty field is a missing value, not even "NA"."""
    return {"keep_default_na": False, "na_values": [] if reader["empty_as_string"] else [""]}


def rows_in(pandas, path, begin, end, header, reader, infers):
    if reader["how"] == "read_parquet":
        return pandas.read_parquet(path)
    with open(path, "rb") as file:
        file.seek(begin)
        text = file.read(end - begin).decode(encoding_of(reader))
    if header:
        with open(header, encoding=encoding_of(reader), newline="") as file:
            text = file.readline() + text
    if reader["how"] == "read_json_lines":
        return pandas.read_json(io.StringIO(text), lines=True)
    has_header = reader["header"] != "no_header"
    with warnings.catch_warnings():  # it warns of fields that it drops, as if that were nothing
        warnings.simplefilter("error", pandas.errors.ParserWarning)
        frame = pandas.read_csv(
            io.StringIO(text), sep=reader["delimiter"], header=0 if has_header else None,
            index_col=False, dtype=None if infers else str, **empty_fields(reader))
    if not has_header:
        frame.columns = [f"Column{number + 1}" for number in range(len(frame.columns))]
    return frame


