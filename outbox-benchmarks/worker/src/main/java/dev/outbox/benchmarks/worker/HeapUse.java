package dev.outbox.benchmarks.worker;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/** The largest amount of heap that was in use right after a garbage collection. */
final class HeapUse {

    private final AtomicLong largest = new AtomicLong();
    private final Set<String> heapPools = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter((pool) -> pool.getType() == MemoryType.HEAP)
            .map((pool) -> pool.getName())
            .collect(Collectors.toUnmodifiableSet());

    static HeapUse watch() {
        HeapUse use = new HeapUse();
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (collector instanceof NotificationEmitter emitter) {
                emitter.addNotificationListener((notification, ignored) -> use.collected(notification), null, null);
            }
        }
        return use;
    }

    /** Forgets the past. */
    void reset() {
        largest.set(0);
    }

    /** The largest amount in bytes, a collection at this moment included. */
    long largest() {
        System.gc();
        long now = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        return Math.max(largest.get(), now);
    }

    private void collected(Notification notification) {
        if (notification.getType().equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
            Map<String, MemoryUsage> after = GarbageCollectionNotificationInfo.from(
                            (CompositeData) notification.getUserData())
                    .getGcInfo()
                    .getMemoryUsageAfterGc();
            long used = after.entrySet().stream()
                    .filter((pool) -> heapPools.contains(pool.getKey()))
                    .mapToLong((pool) -> pool.getValue().getUsed())
                    .sum();
            largest.accumulateAndGet(used, Math::max);
        }
    }
}
