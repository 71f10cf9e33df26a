package dev.outbox.benchmarks.worker;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Journal of a process in a memory-mapped file. Many threads write it without locks or garbage while the controller
 * reads it. Times are those of {@link System#nanoTime}, which all processes of a machine share on Linux, macOS and
 * Windows.
 */
public final class Journal {

    private static final ByteOrder ORDER = ByteOrder.nativeOrder();
    private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ORDER);
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ORDER);

    private static final int HEADER = 64;
    private static final int ENTRY = 32;

    private final ByteBuffer buffer;
    private final int capacity;

    private Journal(ByteBuffer buffer) {
        this.buffer = buffer.order(ORDER);
        this.capacity = (buffer.capacity() - HEADER) / ENTRY;
    }

    /**
     * Recorded step.
     *
     * @param number the event's number, or a number of events
     * @param key the event's account
     * @param seq the event's sequence within its account
     * @param begun the time when it began or was due
     * @param ended the time when it ended
     */
    public record Entry(int number, int key, long seq, long begun, long ended) {}

    /** Creates an empty journal of limited capacity, whose file grows as entries are written. */
    public static Journal create(Path file, int capacity) throws IOException {
        long size = HEADER + (long) ENTRY * capacity;
        if (size > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "capacity must be at most " + (Integer.MAX_VALUE - HEADER) / ENTRY + ": " + capacity);
        }
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new Journal(channel.map(FileChannel.MapMode.READ_WRITE, 0, size));
        }
    }

    /** Opens a journal that another process writes, for reading only. */
    public static Journal open(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return new Journal(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()));
        }
    }

    /** Adds an entry. */
    public void add(Entry entry) {
        int index = (int) INT.getAndAdd(buffer, 0, 1);
        if (index >= capacity) {
            throw new IllegalStateException("the journal is full: " + capacity + " entries");
        }
        int at = HEADER + ENTRY * index;
        buffer.putInt(at, entry.number());
        buffer.putInt(at + 4, entry.key());
        buffer.putLong(at + 8, entry.seq());
        buffer.putLong(at + 16, entry.begun());
        LONG.setRelease(buffer, at + 24, entry.ended());
    }

    /** Returns the number of entries, incomplete ones included. */
    public int size() {
        return Math.min((int) INT.getVolatile(buffer, 0), capacity);
    }

    /** Returns the complete entries, in no particular order of time. */
    public List<Entry> entries() {
        int size = size();
        List<Entry> entries = new ArrayList<>(size);
        for (int index = 0; index < size; index++) {
            int at = HEADER + ENTRY * index;
            long ended = (long) LONG.getAcquire(buffer, at + 24);
            if (ended != 0) {
                entries.add(new Entry(
                        buffer.getInt(at),
                        buffer.getInt(at + 4),
                        buffer.getLong(at + 8),
                        buffer.getLong(at + 16),
                        ended));
            }
        }
        return entries;
    }
}
