plugins {
    java
    id("org.springframework.boot") version "@spring-boot.version@"
}

repositories {
    mavenLocal()
    mavenCentral()
}

dependencies {
    implementation(platform(org.springframework.boot.gradle.plugin.SpringBootPlugin.BOM_COORDINATES))
    implementation(platform("dev.outbox:outbox-bom:@project.version@"))
    implementation("dev.outbox:outbox-spring-boot-starter")
    implementation("org.springframework.boot:spring-boot-starter-flyway")
    testImplementation("dev.outbox:outbox-spring-boot-starter-test")
    testRuntimeOnly("org.junit.platform:junit-platform-launcher")
}

tasks.test { useJUnitPlatform() }
