package dev.outbox.internal.dispatch;

import java.util.List;
import java.util.stream.Collectors;

/** Names of JSON fields as they appear in messages: few and short, because a payload may hold any. */
record FieldNames(List<String> names) {

    private static final int MOST = 5;
    private static final int LONGEST = 60;

    String first() {
        return '"' + shown(names.get(0)) + '"';
    }

    private static String shown(String name) {
        String printable = name.replaceAll("\\p{Cntrl}", "?");
        return printable.length() <= LONGEST ? printable : printable.substring(0, LONGEST) + "…";
    }

    @Override
    public String toString() {
        String shown = names.stream()
                .limit(MOST)
                .map((name) -> "'" + shown(name) + "'")
                .collect(Collectors.joining(", "));
        return names.size() <= MOST ? shown : shown + " and " + (names.size() - MOST) + " more";
    }
}
