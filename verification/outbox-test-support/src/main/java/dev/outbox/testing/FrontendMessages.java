package dev.outbox.testing;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** Reads what a client sends to PostgreSQL and finds the messages that commit. Used by one thread. */
final class FrontendMessages {

    private static final int LENGTH = 4;
    private static final int INSPECTED = 1 << 14;
    private static final int PROTOCOL_3 = 3 << 16;
    private static final byte QUERY = 'Q';
    private static final byte PARSE = 'P';
    private static final byte BIND = 'B';

    private final Set<String> commitStatements = new HashSet<>();
    private final byte[] body = new byte[INSPECTED];
    private boolean started;
    private byte type;
    private int header;
    private int length;
    private int received;

    /** Reads the next bytes and says whether a message among them commits. */
    boolean commits(byte[] bytes, int count) {
        boolean commits = false;
        for (int i = 0; i < count; i++) {
            commits |= next(bytes[i]);
        }
        return commits;
    }

    private boolean next(byte value) {
        if (started && type == 0) {
            type = value;
            return false;
        }
        if (header < LENGTH) {
            length = (length << Byte.SIZE) | (value & 0xff);
            header++;
            return header == LENGTH && length == LENGTH && complete();
        }
        if (received < INSPECTED) {
            body[received] = value;
        }
        received++;
        return received == length - LENGTH && complete();
    }

    private boolean complete() {
        boolean commits = started ? inspect() : startup();
        type = 0;
        header = 0;
        length = 0;
        received = 0;
        return commits;
    }

    /** Requests for encryption come before the start-up message, and look like it. */
    private boolean startup() {
        int code = 0;
        for (int i = 0; i < LENGTH; i++) {
            code = (code << Byte.SIZE) | (body[i] & 0xff);
        }
        started = code == PROTOCOL_3;
        return false;
    }

    private boolean inspect() {
        return switch (type) {
            case QUERY -> isCommit(text(0));
            case BIND -> commitStatements.contains(text(end(0) + 1));
            case PARSE -> {
                prepare(text(0), text(end(0) + 1));
                yield false;
            }
            default -> false;
        };
    }

    private void prepare(String statement, String sql) {
        if (isCommit(sql)) {
            commitStatements.add(statement);
        } else {
            commitStatements.remove(statement);
        }
    }

    private static boolean isCommit(String sql) {
        return sql.strip().toUpperCase(Locale.ROOT).equals("COMMIT");
    }

    private String text(int from) {
        return new String(body, from, end(from) - from, StandardCharsets.UTF_8);
    }

    private int end(int from) {
        int end = from;
        while (end < Math.min(received, INSPECTED - 1) && body[end] != 0) {
            end++;
        }
        return Math.max(from, end);
    }
}
