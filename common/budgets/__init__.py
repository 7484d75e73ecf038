"""What work may cost that someone else decides the size of: a file to preview, a table to sort, a host to wait for.

- `budget`: processor time of a request, and that it ends when its client has left.
- `memory`: what values that are decoded take, estimated before, of all requests of a process together.
- `gate`: how much of one kind of work is done at once, and how much of it for one caller.
- `children`: decoders in processes of their own, whose memory and time the kernel limits; `child` is what runs there.
- `heavy_work`: computations of pages, few at once, and the processor time that a caller has in a minute.
- `statements`: statements of SQLite end with the request that reads.
"""
