"""What pages show of a file in an artifact: functions of a path on this machine's disk, without models or requests.

Who calls them has asked for `artifact.download`. Whatever is wrong with a file is an `errors.UnreadablePreview`, whose
message is for people; what is wrong with a request is an `Invalid`.

- How is this file shown? `kinds.kind_of_file`, or by its name alone `kinds.kind_of_name`; as what a picture, sound or
  video is served says `kinds.media_type_of`.
- What does a text begin with? `runs.files.text_preview.read_text_preview`.
- Are rows in a JSON file? `tables.json_reader.has_rows`.
- Which tensors are in it? `weights.read_weights`, of `safetensors` and `gguf`.
- Which rows? `tables.opening.open_table` returns a `TableSource`, `tables.pages.read_page` and `read_groups` what a
  `tables.request.TableRequest` asks of it.
- Which other tables does it name? `tables.wandb_tables.read_joined_table`, `read_partitioned_table`; several are one
  as `tables.joining.JoinedTable` or `PartitionedTable`, increments in the order of `in_increment_order`.
- What changed? `comparison.compare_files`, `compare_metadata`; rows by `tables.comparison.compare_tables`.

Files may take any amount of memory and time to decode: pages call these functions by `common.budgets.children.apart`.

Rows have plain JSON values; `cells.cell_of` makes of them what pages show, media as a `cells.MediaCell` whose path the
caller looks up among the entries of the version.
"""
