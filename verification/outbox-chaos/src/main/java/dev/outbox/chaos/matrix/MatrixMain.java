package dev.outbox.chaos.matrix;

import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;

/** Runs the cells whose names match a pattern, from the command line: directory, seed, rounds, rigs, pattern. */
public final class MatrixMain {

    private MatrixMain() {}

    /**
     * Prints the table, and exits with 1 after a violation.
     *
     * @param arguments directory, seed, rounds, rigs, and a regular expression for names such as {@code after_claim_kill}
     */
    public static void main(String[] arguments) {
        Random random = new Random(Long.parseLong(arguments[1]));
        Pattern pattern = Pattern.compile(arguments[4]);
        Matrix matrix = new Matrix(Path.of(arguments[0]), Integer.parseInt(arguments[3]));
        for (int round = 0; round < Integer.parseInt(arguments[2]); round++) {
            List<Cell> all = Cell.all(random);
            matrix.add(all.stream()
                    .filter((cell) -> pattern.matcher(cell.name()).matches())
                    .toList());
        }
        HitTable table = matrix.run();
        System.out.println(table);
        System.exit(table.failures().isEmpty() ? 0 : 1);
    }
}
