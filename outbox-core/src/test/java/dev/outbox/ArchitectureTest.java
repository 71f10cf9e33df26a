package dev.outbox;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    private static final JavaClasses CORE = new ClassFileImporter()
            .importUrl(
                    OutboxPublisher.class.getProtectionDomain().getCodeSource().getLocation());
    private static final DescribedPredicate<JavaClass> IS_API =
            JavaClass.Predicates.resideInAnyPackage("dev.outbox", "dev.outbox.operations", "dev.outbox.listener");
    /** Mechanisms of the core, from the top down: each may use those below it. */
    private static final List<String> ROOMS = List.of(
            "runtime",
            "metrics",
            "replay",
            "schedule",
            "deadletter",
            "retention",
            "operate",
            "erase",
            "inspect",
            "claim",
            "lane",
            "dispatch",
            "publish",
            "registry",
            "poll",
            "notify",
            "lease",
            "schema",
            "payload",
            "audit",
            "background",
            "sql",
            "failure",
            "fault");

    private static final int MOST_API_TYPES = 51;

    private static final Path MAIN = Path.of("src", "main");
    private static final Pattern LINK = Pattern.compile("\\{@link\\s+(\\w+)}");
    private static final Pattern TABLES = Pattern.compile("Tables: (.*?)(?:; of other rooms: (.*?))?\\.\\s+\\*/");
    private static final Pattern TABLE_NAME = Pattern.compile("\\b(outbox\\w*|processed_event)\\b");
    private static final Pattern TABLE_IN_SQL = Pattern.compile("\\{schema}\\.(outbox\\w*|processed_event)\\b(?!\\()");

    @Test
    void arrowsPointDownTheListOfRooms() {
        for (int room = 1; room < ROOMS.size(); room++) {
            String[] above = ROOMS.subList(0, room).stream()
                    .map(ArchitectureTest::packageOf)
                    .toArray(String[]::new);
            noClasses()
                    .that()
                    .resideInAPackage(packageOf(ROOMS.get(room)))
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(above)
                    .check(CORE);
        }
    }

    @Test
    void everyInternalClassIsInARoom() {
        classes()
                .that()
                .resideInAPackage("dev.outbox.internal..")
                .should()
                .resideInAnyPackage(
                        ROOMS.stream().map(ArchitectureTest::packageOf).toArray(String[]::new))
                .check(CORE);
    }

    /** Another room may name these types only: a further one is a decision, which {@code package-info} records. */
    @Test
    void publicTypesOfARoomStandInItsPackageInfo() throws IOException {
        for (String room : ROOMS) {
            assertThat(typesNamedBy(room))
                    .as(room)
                    .containsExactlyInAnyOrderElementsOf(CORE.stream()
                            .filter((type) -> type.getPackageName().equals(packageOf(room)))
                            .filter((type) -> type.isTopLevelClass()
                                    && type.getModifiers().contains(JavaModifier.PUBLIC))
                            .map(JavaClass::getSimpleName)
                            .toList());
        }
    }

    /** A table has one owner. Others read and change it where one transaction must, and say so. */
    @Test
    void tablesOfARoomStandInItsPackageInfo() throws IOException {
        List<String> owned = new ArrayList<>();
        for (String room : ROOMS) {
            Matcher tables = TABLES.matcher(packageInfo(room));
            assertThat(tables.find()).as(room).isTrue();
            List<String> own = namesIn(TABLE_NAME, tables.group(1));
            List<String> used = new ArrayList<>(own);
            used.addAll(namesIn(TABLE_NAME, String.valueOf(tables.group(2))));

            assertThat(used).as(room).containsExactlyInAnyOrderElementsOf(tablesInSqlOf(room));
            owned.addAll(own);
        }
        assertThat(owned).doesNotHaveDuplicates();
    }

    private static List<String> typesNamedBy(String room) throws IOException {
        String text = packageInfo(room);
        return namesIn(LINK, text.substring(text.indexOf("Front door"), text.indexOf("Tables:")));
    }

    private static String packageInfo(String room) throws IOException {
        return Files.readString(MAIN.resolve(Path.of("java", "dev", "outbox", "internal", room, "package-info.java")))
                .replaceAll("\\R \\*(?!/) ?", " ");
    }

    /** Both partitions of the events count as one table. */
    private static Set<String> tablesInSqlOf(String room) throws IOException {
        Set<String> tables = new TreeSet<>();
        for (String kind : List.of("java", "resources")) {
            Path directory = MAIN.resolve(Path.of(kind, "dev", "outbox", "internal", room));
            if (Files.exists(directory)) {
                try (Stream<Path> files = Files.list(directory)) {
                    for (Path file : files.toList()) {
                        tables.addAll(namesIn(TABLE_IN_SQL, Files.readString(file)));
                    }
                }
            }
        }
        return tables.stream()
                .filter((table) -> !table.endsWith("_seq"))
                .map((table) -> table.replaceFirst("_(un)?published$", ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<String> namesIn(Pattern pattern, String text) {
        return pattern.matcher(text).results().map((found) -> found.group(1)).toList();
    }

    private static String packageOf(String room) {
        return "dev.outbox.internal." + room;
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.(**)").should().beFreeOfCycles().check(CORE);
    }

    @Test
    void publicApiDoesNotDependOnInternals() {
        noClasses()
                .that(IS_API)
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.outbox.internal..")
                .check(CORE);
    }

    @Test
    void publicApiStaysSmall() {
        assertThat(CORE.stream()
                        .filter(IS_API.and(JavaClass.Predicates.TOP_LEVEL_CLASSES))
                        .filter((type) -> type.getModifiers().contains(JavaModifier.PUBLIC))
                        .map(JavaClass::getSimpleName))
                .hasSizeBetween(1, MOST_API_TYPES);
    }

    @Test
    void coreDoesNotSeeSpringBoot() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework.boot..")
                .check(CORE);
    }

    @Test
    void onlyStoresSpeakSql() {
        noClasses()
                .that()
                .resideOutsideOfPackages(packageOf("sql"), packageOf("publish"), packageOf("schema"))
                .and()
                .haveNameNotMatching(".*(Store|Channel|Row|Ref|State|History|Subscriptions|Claims?)(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .haveNameMatching("java\\.sql\\.(Connection|PreparedStatement|Statement|ResultSet)")
                .check(CORE);
    }

    @Test
    void onlyTheMetricsNeedMicrometer() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.outbox.internal.metrics")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.micrometer..")
                .check(CORE);
    }

    @Test
    void classesAreFinalUnlessMeantForOthers() {
        classes()
                .that()
                .areNotInterfaces()
                .and()
                .areNotEnums()
                .and()
                .areNotAnonymousClasses()
                .and()
                .doNotHaveModifier(JavaModifier.ABSTRACT)
                .and()
                .doNotHaveModifier(JavaModifier.SYNTHETIC)
                .and()
                .areNotAssignableTo(RuntimeException.class)
                .should()
                .haveModifier(JavaModifier.FINAL)
                .check(CORE);
    }
}
