package dev.outbox.benchmarks.harm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.options.Options;
import dev.outbox.benchmarks.workload.Workload;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class HarmsTest {

    private final Properties properties = new Properties();

    @Test
    void everyHarmTestIsForThisLibraryAlone() {
        List<Entrant> all = Entrant.of(List.of(Entrant.names().split(",")), List.of(Entrant.TUNED));

        assertThat(Harms.NAMES)
                .allSatisfy((name) -> assertThat(named(name)).isNotEmpty().allSatisfy((workload) -> {
                    assertThat(workload.name()).isEqualTo(name);
                    assertThat(all.stream().filter(workload::suits))
                            .extracting(Entrant::toString)
                            .containsExactly("outbox (tuned)");
                }));
    }

    @Test
    void sizesAreParameters() {
        properties.setProperty("benchmark.harm.pending", "10000,10000000");

        assertThat(named("harm-claim"))
                .extracting((workload) -> workload.parameters().get("pending"))
                .containsExactly("10000", "10000000");
    }

    @Test
    void unknownNameIsRefused() {
        assertThatThrownBy(() -> named("harm-nothing")).hasMessageContaining("harm-claim");
    }

    private List<Workload> named(String name) {
        return new Harms(new Options(properties)).named(name);
    }
}
