package dev.outbox.spring.autoconfigure;

import java.util.stream.IntStream;

/** Finds the name that a mistyped one was probably meant to be. */
final class EditDistance {

    private EditDistance() {}

    /** Returns the number of characters to insert, remove or replace. */
    static int between(String one, String other) {
        int[] row = IntStream.rangeClosed(0, other.length()).toArray();
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[other.length()];
    }
}
