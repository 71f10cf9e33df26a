package dev.outbox.internal.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FaultPointTest {

    private static final URL CORE =
            FaultPoint.class.getProtectionDomain().getCodeSource().getLocation();

    @Test
    void findsNoHookInProduction() throws ReflectiveOperationException {
        Field hook = FaultPoint.class.getDeclaredField("HOOK");
        hook.setAccessible(true);

        // The compiler leaves out what a constant null decides: the field must be static and final.
        assertThat(Modifier.isStatic(hook.getModifiers())).isTrue();
        assertThat(Modifier.isFinal(hook.getModifiers())).isTrue();
        assertThat(hook.get(null)).isNull();
    }

    @Test
    void comparesOneConstantWithNull() {
        JavaMethod reached =
                new ClassFileImporter().importClass(FaultPoint.class).getMethod("reached");

        assertThat(reached.getFieldAccesses())
                .extracting(JavaFieldAccess::getName)
                .containsExactly("HOOK");
        assertThat(reached.getAccessesFromSelf())
                .extracting((access) -> access.getTargetOwner().getSimpleName() + "." + access.getName())
                .containsExactlyInAnyOrder("FaultPoint.HOOK", "Hook.reached");
    }

    @Test
    void onlyPointsAndHooksKnowTheHook() {
        JavaClass hook = new ClassFileImporter().importUrl(CORE).get(FaultPoint.Hook.class);

        assertThat(hook.getDirectDependenciesToSelf())
                .allMatch((use) -> use.getOriginClass().isEquivalentTo(FaultPoint.class));
        assertThat(hook.getMethods()).extracting(JavaMember::getName).containsExactly("reached");
    }

    @Test
    void tellsTheHookOfTheClassPath(@TempDir Path directory) throws Exception {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve(FaultPoint.Hook.class.getName()), Recording.class.getName());
        URL tests = FaultPointTest.class.getProtectionDomain().getCodeSource().getLocation();
        URL[] classPath = {directory.toUri().toURL(), CORE, tests};
        try (URLClassLoader loader = new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader())) {
            Class<?> points = loader.loadClass(FaultPoint.class.getName());
            Object point = points.getField("AFTER_CLAIM").get(null);

            points.getMethod("reached").invoke(point);

            Object reached = loader.loadClass(Recording.class.getName())
                    .getField("REACHED")
                    .get(null);
            assertThat(reached).isEqualTo(List.of(point));
        }
    }

    /** Provider that the class path of one test names. */
    public static final class Recording implements FaultPoint.Hook {

        public static final List<FaultPoint> REACHED = Collections.synchronizedList(new ArrayList<>());

        @Override
        public void reached(FaultPoint point) {
            REACHED.add(point);
        }
    }
}
