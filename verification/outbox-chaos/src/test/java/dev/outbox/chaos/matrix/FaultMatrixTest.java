package dev.outbox.chaos.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.Guarantee;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A process that fails at a fault point, whichever and however, loses nothing. {@code -Dmatrix.seed} decides cells and variants, and
 * {@code -Dmatrix.points} selects points by a regular expression.
 */
@Tag("full")
class FaultMatrixTest {

    private static final long SEED = Long.getLong("matrix.seed", 1);

    @Test
    @Tag("chaos")
    @Guarantee(
            value = "G2",
            sentence = "Processes and PostgreSQL that fail at single steps of publishing and delivery lose nothing.")
    void everyCellLosesNothing() {
        int rounds = Integer.getInteger("matrix.rounds", 5);
        Pattern points = Pattern.compile(System.getProperty("matrix.points", ""));
        Random random = new Random(SEED);
        List<Cell> cells = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            Cell.all(random).stream()
                    .filter((cell) -> points.matcher(cell.point().name()).find())
                    .forEach(cells::add);
        }

        System.out.println("fault matrix: " + cells.size() + " cells; repeat with -Dmatrix.seed=" + SEED);
        Matrix matrix = new Matrix(
                Path.of(
                        "target",
                        "matrix",
                        "matrix-" + SEED + "-" + ProcessHandle.current().pid()),
                cells);

        HitTable table = matrix.run(2);

        System.out.println(table);
        assertThat(table.failures()).isEmpty();
        assertThat(cells)
                .allSatisfy((cell) -> assertThat(table.hits(cell.point(), cell.kind()))
                        .as("hits of %s", cell.name())
                        .isEqualTo(rounds));
    }
}
