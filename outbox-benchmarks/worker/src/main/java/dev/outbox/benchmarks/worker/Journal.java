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
 * What happened in a process, in a file that is mapped into memory: written without locks or garbage by many threads, and read
 * by the controller while that goes on. Times are those of {@link System#nanoTime}, which all processes of a machine share on
 * Linux, macOS and Windows.
 */
public final class Journal {

    private static final ByteOrder ORDER = ByteOrder.nativeOrder();
    private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ORDER);
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ORDER);

    private static final int HEADER = 64;
    private static final int ENTRY = 40;

    private final ByteBuffer buffer;
    private final int capacity;

    private Journal(ByteBuffer buffer) {
        this.buffer = buffer.order(ORDER);
        this.capacity = (buffer.capacity() - HEADER) / ENTRY;
    }

    /**
     * Something that happened.
     *
     * @param kind what it was; for a handled event, the handler
     * @param number the event's number, or how many
     * @param key the event's account
     * @param seq the event's place among those of its account
     * @param begun when it began, or when it was due
     * @param ended when it ended
     */
    public record Entry(int kind, int number, int key, long seq, long begun, long ended) {}

    /**
     * Creates an empty journal. Its file takes as much space as is written.
     *
     * @param file the file
     * @param capacity the largest number of entries
     * @return the journal
     * @throws IOException if the file cannot be written
     */
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

    /**
     * Opens a journal that another process writes.
     *
     * @param file the file
     * @return the journal, to be read only
     * @throws IOException if the file cannot be read
     */
    public static Journal open(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return new Journal(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()));
        }
    }

    /**
     * Adds an entry.
     *
     * @param entry what happened
     */
    public void add(Entry entry) {
        int index = (int) INT.getAndAdd(buffer, 0, 1);
        if (index >= capacity) {
            throw new IllegalStateException("the journal is full: " + capacity + " entries");
        }
        int at = HEADER + ENTRY * index;
        buffer.putInt(at, entry.kind());
        buffer.putInt(at + 4, entry.number());
        buffer.putInt(at + 8, entry.key());
        buffer.putLong(at + 16, entry.seq());
        buffer.putLong(at + 24, entry.begun());
        LONG.setRelease(buffer, at + 32, entry.ended());
    }

    /**
     * Returns how many entries have been begun.
     *
     * @return the number of entries
     */
    public int size() {
        return Math.min((int) INT.getVolatile(buffer, 0), capacity);
    }

    /**
     * Returns the entries that are complete.
     *
     * @return the entries, in no particular order of time
     */
    public List<Entry> entries() {
        int size = size();
        List<Entry> entries = new ArrayList<>(size);
        for (int index = 0; index < size; index++) {
            int at = HEADER + ENTRY * index;
            long ended = (long) LONG.getAcquire(buffer, at + 32);
            if (ended != 0) {
                entries.add(new Entry(
                        buffer.getInt(at),
                        buffer.getInt(at + 4),
                        buffer.getInt(at + 8),
                        buffer.getLong(at + 16),
                        buffer.getLong(at + 24),
                        ended));
            }
        }
        return entries;
    }
}
