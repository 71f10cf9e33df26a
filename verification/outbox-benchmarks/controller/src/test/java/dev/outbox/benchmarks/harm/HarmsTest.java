package dev.outbox.benchmarks.harm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.options.Options;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class HarmsTest {

    @Test
    void everyHarmTestIsForThisLibraryAlone() {
        List<Entrant> all = Entrant.of(List.of(Entrant.names().split(",")), List.of(Entrant.TUNED));
        Options options = new Options(new Properties());

        assertThat(Harms.all())
                .hasSize(15)
                .allSatisfy((harm) -> assertThat(options.cases(harm.prefix(), harm.options()))
                        .isNotEmpty()
                        .allSatisfy((parameters) -> assertThat(
                                        all.stream().filter((one) -> harm.suits(one, parameters)))
                                .extracting(Entrant::toString)
                                .containsExactly("outbox (tuned)")));
    }
}
