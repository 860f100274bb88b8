"""What looking into files may cost in one turn, and what is said of those that were left out."""

from tabshell.access.classify import Classifier
from tabshell.access.disk.disk import Disk
from tabshell.access.meeting.effort import PREPARING, Effort, price
from tabshell.model.records import CommandRecord


class Counting(Disk):
    """The disk, counting what was looked into."""

    looked = 0

    def texts(self, path):
        self.looked += 1
        return super().texts(path)


def record(top, command, output):
    return CommandRecord("pty", command, "history", str(top), output, 0, columns=120)


def tree(top, count):
    for number in range(count):
        folder = top / f"box{number % 20:02}"
        folder.mkdir(exist_ok=True)
        (folder / f"letter{number:04}.txt").write_text(f"dear reader of letter {number}\n" * 200)
    return top


def test_what_is_spent_is_gone_and_a_few_may_go_beyond():
    effort = Effort(100)
    assert effort.take(60)
    assert not effort.take(60)
    assert effort.take(60, beyond=30)
    assert not effort.take(1)


def test_documents_cost_more_than_plain_files_and_large_ones_more_than_small_ones():
    assert price("a.txt", 1000) < price("a.txt", 100_000) < price("a.pdf", 100_000)
    assert price("A.PDF", 10) == price("a.pdf", 10)


def test_a_whole_tree_is_looked_into_only_as_far_as_the_effort_goes(tmp_path):
    disk = Counting()
    output = b"a line that stands in no letter at all\n" * 3
    found = Classifier(str(tree(tmp_path, 900)), None, disk).classify(record(tmp_path, "cat */*.txt", output))
    assert found.read == ()
    assert 20 < disk.looked < PREPARING / 60
    assert any(reason.rule == "not looked into" or "no row" in reason.evidence for reason in found.reasons)


def test_the_files_that_the_output_names_are_looked_into_first(tmp_path):
    tree(tmp_path, 900)
    output = b"==> box13/letter0893.txt <==\ndear reader of letter 893\n\n==> box19/letter0899.txt <==\nreader of 899\n"
    found = Classifier(str(tmp_path), None, Disk()).classify(record(tmp_path, "head -n1 */*.txt", output))
    assert "box13/letter0893.txt" in found.read


def test_once_every_row_is_found_no_further_file_of_a_tree_is_looked_into(tmp_path):
    disk = Counting()
    output = b"dear reader of letter 0\ndear reader of letter 20\n"
    found = Classifier(str(tree(tmp_path, 200)), None, disk).classify(record(tmp_path, "cat */*.txt", output))
    assert found.read == ("box00/letter0000.txt", "box00/letter0020.txt")
    assert disk.looked < 10


def test_of_many_files_that_were_not_looked_into_none_is_believed(tmp_path):
    for number in range(6):
        (tmp_path / f"scan{number}.pdf").write_bytes(b"%PDF-1.4 no pages " + b"\0" * 900_000)
    found = Classifier(str(tmp_path), None, Disk()).classify(
        record(tmp_path, "for f in *.pdf; do pdftotext $f -; done", b"the harbour fees of 1998\n")
    )
    assert found.read == ()


def test_a_document_that_was_not_looked_into_is_believed_where_its_name_stands_over_the_rows(tmp_path):
    for number in range(6):
        (tmp_path / f"scan{number}.pdf").write_bytes(b"%PDF-1.4 no pages " + b"\0" * 900_000)
    found = Classifier(str(tmp_path), None, Disk()).classify(
        record(tmp_path, 'for f in *.pdf; do echo "== $f"; pdftotext $f -; done', b"== scan4.pdf\nthe harbour fees\n")
    )
    assert found.read == ("scan4.pdf",)


def test_a_line_that_documents_share_is_the_document_s_under_whose_name_it_stands(tree_of):
    # the second is too dear to be looked into; its rows begin as those of the first do
    first = "Harbour office\nFees of the northern quay\nContents\n"
    files = tree_of({"old.pdf": first, "new.pdf": first + "Berths of the southern quay\n" * 2000})
    output = (
        b"## old.pdf\nHarbour office\nFees of the northern quay\nContents\n"
        b"## new.pdf\nContents\nTolls of the eastern lock\n"
    )
    command = 'for f in old.pdf new.pdf; do echo "## $f"; pdftotext "$f" - | head -3; done'
    found = Classifier("/ws", None, files).classify(record("/ws", command, output))
    assert found.read == ("old.pdf", "new.pdf")
    assert found.listed == ()
    held = {e.paths: b"".join(output[s.start : s.end] for s in e.spans).decode() for e in found.excerpts}
    assert held[("new.pdf",)].split("\n")[:2] == ["Contents", "Tolls of the eastern lock"]
    assert "eastern" not in held[("old.pdf",)]
