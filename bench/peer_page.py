from peer_records import Record


def write_page(record, docs):
    pass
