# Builds and runs one of the projects beside this file in a fresh folder: WAY, RUNTIME, WORK, GENERATOR, COMPILER.
function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
file(COPY ${CMAKE_CURRENT_LIST_DIR}/${WAY}/ ${CMAKE_CURRENT_LIST_DIR}/main.cpp DESTINATION ${WORK}/project)
set(options -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER} -D RUNTIME=${RUNTIME})

if(WAY STREQUAL "copied")
    file(COPY ${RUNTIME}/include/intent DESTINATION ${WORK}/project/include)
elseif(WAY STREQUAL "find_package")
    run(${CMAKE_COMMAND} -S ${RUNTIME} -B ${WORK}/runtime ${options} -D INTENT_RUNTIME_TESTS=OFF -D CMAKE_INSTALL_PREFIX=${WORK}/prefix)
    run(${CMAKE_COMMAND} --install ${WORK}/runtime)
    list(APPEND options -D CMAKE_PREFIX_PATH=${WORK}/prefix)
endif()

run(${CMAKE_COMMAND} -S ${WORK}/project -B ${WORK}/build ${options})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/main)
