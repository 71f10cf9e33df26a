package dev.outbox.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.HandlerDefinition;
import dev.outbox.fixture.TestOutbox;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A class name in the database is text: no type, payload or header makes the library load a class. */
class NoClassIsLoadedTest {

    private static final AtomicBoolean TOUCHED = new AtomicBoolean();
    private static final String GADGET = NoClassIsLoadedTest.class.getName() + "$Gadget";

    /** Does harm as soon as it is initialised. */
    static final class Gadget {

        static {
            TOUCHED.set(true);
        }

        void setCommand(String command) {
            TOUCHED.set(true);
        }
    }

    record Known(int number, Object any, List<Object> more) {}

    /** Remembers every class that is asked for by name on the threads of the outbox. */
    private static final class Watching extends ClassLoader {

        private final Set<String> asked = ConcurrentHashMap.newKeySet();

        Watching(ClassLoader parent) {
            super(parent);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            asked.add(name);
            return super.loadClass(name, resolve);
        }
    }

    @Test
    void takesClassNamesAsText() throws Exception {
        List<Object> handled = new CopyOnWriteArrayList<>();
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        Watching watching = new Watching(before);
        List<String> dangerous = List.of(GADGET, "javax.script.ScriptEngineManager", "com.sun.rowset.JdbcRowSetImpl");
        try (TestOutbox outbox = TestOutbox.create()) {
            outbox.handler(HandlerDefinition.of("known", Set.of("Known"), Known.class, (one, e) -> handled.add(one)))
                    .handler(
                            HandlerDefinition.of("tree", Set.of("Known"), JsonNode.class, (one, e) -> handled.add(one)))
                    .handler("all", "*", handled::add);
            thread.setContextClassLoader(watching);
            outbox.start();
            for (String name : dangerous) {
                insert(outbox, "Known", name);
                insert(outbox, name, name);
            }

            await().atMost(Duration.ofSeconds(30)).until(() -> handled.size() == 4 * dangerous.size());
            assertThat(handled).filteredOn(Known.class::isInstance).hasSize(dangerous.size());
        } finally {
            thread.setContextClassLoader(before);
        }

        assertThat(watching.asked).doesNotContainAnyElementsOf(dangerous);
        assertThat(TOUCHED).isFalse();
        Class.forName(GADGET);
        assertThat(TOUCHED).isTrue();
    }

    private static void insert(TestOutbox outbox, String type, String name) {
        String object = "{\"@class\": \"%1$s\", \"@type\": \"%1$s\", \"type\": \"%1$s\", \"command\": \"%1$s\"}"
                .formatted(name);
        String payload =
                "{\"@class\": \"%1$s\", \"@type\": \"%1$s\", \"number\": 1, \"any\": %2$s, \"more\": [\"%1$s\", [\"%1$s\", %2$s]]}"
                        .formatted(name, object);
        outbox.update("""
                        INSERT INTO events.outbox (aggregate_type, aggregate_id, aggregate_seq, event_type, payload, headers)
                        VALUES (?, ?, 1, ?, ?::jsonb, ?::jsonb)
                        """, name, type, type, payload, object);
    }
}
