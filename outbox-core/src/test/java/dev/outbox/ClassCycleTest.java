package dev.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Arrows between the classes of a package point one way too. A nested class counts as its outer class. */
class ClassCycleTest {

    private static final JavaClasses CORE = new ClassFileImporter()
            .importUrl(
                    OutboxPublisher.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    void classesOfAPackageHaveNoCycles() {
        Map<String, Set<String>> used = new TreeMap<>();
        for (JavaClass type : CORE) {
            Set<String> others = used.computeIfAbsent(outermost(type), (name) -> new HashSet<>());
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                if (target.getPackageName().equals(type.getPackageName())
                        && !outermost(target).equals(outermost(type))) {
                    others.add(outermost(target));
                }
            }
        }

        Set<String> cyclic = new TreeSet<>();
        used.keySet().stream().filter((name) -> reaches(name, name, used)).forEach(cyclic::add);

        assertThat(cyclic).isEmpty();
    }

    private static String outermost(JavaClass type) {
        return type.getEnclosingClass().map(ClassCycleTest::outermost).orElse(type.getName());
    }

    private static boolean reaches(String from, String to, Map<String, Set<String>> used) {
        Set<String> seen = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(used.get(from));
        while (!open.isEmpty()) {
            String next = open.pop();
            if (next.equals(to)) {
                return true;
            }
            if (seen.add(next)) {
                open.addAll(used.getOrDefault(next, Set.of()));
            }
        }
        return false;
    }
}
