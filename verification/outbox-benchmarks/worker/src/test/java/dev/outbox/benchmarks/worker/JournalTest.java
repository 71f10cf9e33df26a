package dev.outbox.benchmarks.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.benchmarks.worker.Journal.Entry;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {

    @TempDir
    private Path directory;

    @Test
    void whatManyThreadsWriteIsReadByAnother() throws Exception {
        Path file = directory.resolve("journal");
        Journal written = Journal.create(file, 40_000);
        Threads.run(4, (thread) -> {
            for (int number = 0; number < 10_000; number++) {
                written.add(new Entry(number, thread + 1, number + 2L, number + 3L, number + 4L));
            }
        });

        Journal read = Journal.open(file);
        assertThat(read.size()).isEqualTo(40_000);
        // As sets: comparing two lists of this length in any order takes a minute.
        assertThat(Set.copyOf(read.entries()))
                .isEqualTo(IntStream.range(0, 40_000)
                        .mapToObj((index) -> entry(index / 10_000, index % 10_000))
                        .collect(Collectors.toSet()));
    }

    private static Entry entry(int thread, int number) {
        return new Entry(number, thread + 1, number + 2L, number + 3L, number + 4L);
    }

    @Test
    void fullJournalRefusesMore() throws Exception {
        Journal journal = Journal.create(directory.resolve("journal"), 1);
        journal.add(entry(0, 0));

        assertThatThrownBy(() -> journal.add(entry(0, 1))).hasMessageContaining("1 entries");
        assertThat(journal.entries()).containsExactly(entry(0, 0));
    }
}
